# version: 1.0.0
# description: "Fails"
# category: demo
echo "it went wrong" >&2
exit 3
