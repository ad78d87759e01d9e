# version: 0.1.0
# category: {category}
# description: "Returns the parameters it was given"
# parameters:
#   type: object
#   properties:
#     text: {type: string, description: What to return}
#   required: [text]
#   additionalProperties: false

# {title}. The parameters come as one JSON document, and what is printed is the result.
cat
