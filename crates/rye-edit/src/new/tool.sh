# version: 0.1.0
# category: {category}
# description: "Returns its parameters"
# parameters:
#   type: object
#   properties:
#     text: {type: string, description: The text to return}
#   required: [text]
#   additionalProperties: false

# {title}. Standard input is one JSON document with the parameters. Standard output is the result.
cat
