# version: 1.0.0
# description: "Returns what it was given"
# category: demo
# parameters:
#   type: object
#   properties:
#     text: {type: string}
#     loud: {type: boolean}
#   required: [text]
#   additionalProperties: false
cat
