"""{title}: say here what it does."""

__version__ = "0.1.0"
__category__ = "{category}"
__tool_description__ = "Returns the text reversed"

CONFIG_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "description": "The text to reverse"}},
    "required": ["text"],
    "additionalProperties": False,
}

import json
import sys

# Standard input is one JSON document with the parameters. Standard output is the result.
parameters = json.load(sys.stdin)
print(json.dumps({"text": parameters["text"][::-1]}))
