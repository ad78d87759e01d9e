"""{title}: say here what it does."""

__version__ = "0.1.0"
__category__ = "{category}"
__tool_description__ = "Returns the text it was given, turned round"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "What to turn round"}},
    "required": ["text"],
    "additionalProperties": False,
}

import json
import sys

# The parameters come as one JSON document, and what is printed is the result.
parameters = json.load(sys.stdin)
print(json.dumps({"text": parameters["text"][::-1]}))
