# version: 1.0.0
# description: "Counts the words of a text"
# category: demo
# tool_id: demo/count
# companions:
#   - {path: words.txt, sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855}
# parameters:
#   type: object
#   properties:
#     text: {type: string}
wc -w
