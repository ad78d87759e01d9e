"""Holds what the provider plugins send and read to the types of the vendors' own Python packages.

    python .ci/official_types.py        (from the top; `.ci/slow types` installs the packages)

A request that a plugin's tests expect must be one that the package can send: no unknown key, no value of another type. Each event
of a recorded stream must be one that the package can read. What other servers send in these formats is not held to them.
"""

import json
import sys
import typing
from pathlib import Path

# An iterable is checked only when somebody goes through it, so that no message would be; of a list each element is.
typing.Iterable = typing.List

from anthropic.types import MessageCreateParams, RawMessageStreamEvent
from anthropic.types.shared import ErrorResponse
from openai.types.chat import ChatCompletionChunk, CompletionCreateParams
from openai.types.responses import ResponseCreateParams, ResponseStreamEvent
from pydantic import TypeAdapter, ValidationError

ANTHROPIC = Path("plugins/provider-anthropic/src/tests")
OPENAI = Path("plugins/provider-openai/tests")

# Per format: requests, the type of a request, streams, the type of an event.
FORMATS = {
    "Messages": (
        sorted(ANTHROPIC.glob("requests/*.body.json")), MessageCreateParams,
        sorted(ANTHROPIC.glob("streams/*.sse")), RawMessageStreamEvent,
    ),
    "Chat Completions": (
        sorted(OPENAI.glob("requests/chat*.json")), CompletionCreateParams,
        sorted(OPENAI.glob("streams/chat_*.sse")), ChatCompletionChunk,
    ),
    "Responses": (
        sorted(OPENAI.glob("requests/responses*.json")), ResponseCreateParams,
        sorted(OPENAI.glob("streams/responses_*.sse")), ResponseStreamEvent,
    ),
}

# Streams with an event that no package knows, to see that it is passed over.
UNKNOWN = {"unknown.sse"}


def fits(kind, value):
    """Returns why a value is none of that type, or nothing."""
    try:
        kind.validate_python(value, strict=True)
    except ValidationError as error:
        return error.errors()[0]
    return None


def can_send(kind, request):
    """As `fits`; a key that the type does not know is left out by it, at any depth."""
    if (why := fits(kind, request)) is not None:
        return why
    known = kind.validate_python(request, strict=True)
    return None if known == request else f"of it only {known} is known"


def events(path):
    for block in path.read_text().replace("\r\n", "\n").split("\n\n"):
        lines = [line.removeprefix("data:").removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if lines and lines != ["[DONE]"]:
            yield json.loads("\n".join(lines))


def why_not(path, event, kind):
    """As the package reads a stream: pings are passed over, errors are raised from a body of their own."""
    match event:
        case {"type": "ping"} if path.is_relative_to(ANTHROPIC):
            return None
        case {"type": "error"} if path.is_relative_to(ANTHROPIC):
            return fits(TypeAdapter(ErrorResponse), event)
    return fits(kind, event)


def main():
    wrong = 0
    for name, (requests, request_type, streams, event_type) in FORMATS.items():
        request_type, event_type = TypeAdapter(request_type), TypeAdapter(event_type)
        assert requests and streams, name
        for path in requests:
            request = json.loads(path.read_text())
            if (why := can_send(request_type, request)) is not None:
                wrong += 1
                print(f"{path}: {why}")
            # To see that the check says something.
            message = (request.get("messages") or request["input"])[0]
            message["no_such_key"] = 1
            assert can_send(request_type, request) is not None, "any key is accepted"
        for path in streams:
            found = [why for event in events(path) if (why := why_not(path, event, event_type)) is not None]
            if bool(found) != (path.name in UNKNOWN):
                wrong += 1
                print(f"{path}: {found[0] if found else 'every event is known'}")
        print(f"{name}: {len(requests)} requests, {len(streams)} streams")
    return 1 if wrong else 0


sys.exit(main())
