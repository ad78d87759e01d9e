"""A scripted model that uses every skill of a folder: python3 skills_model.py FOLDER COMMAND ARGS…

Serves the Messages API on this machine and runs COMMAND, Claude Code, with its address. The model calls the `Skill` tool once for each
skill of FOLDER. Fails unless the first request lists every skill, and each result brings the instructions of its `SKILL.md`, unchanged.
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading


def strings(value):
    """All texts in a request, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value if isinstance(value, list) else value.values():
            yield from strings(inner)


def instructions(folder):
    """What `SKILL.md` says below its front matter."""
    text = (folder / "SKILL.md").read_bytes().decode()
    return text.split("\n---\n", 1)[1].strip()


class Model:
    """The script, and what it saw."""

    def __init__(self, folder):
        self.skills = sorted(path.parent for path in pathlib.Path(folder).glob("*/SKILL.md"))
        self.unlisted, self.used, self.wrong = None, [], []

    def next_skill(self, request):
        """The skill to use after a request, or none after the last."""
        calls = [
            block
            for message in request["messages"]
            if message["role"] == "assistant" and isinstance(message["content"], list)
            for block in message["content"]
            if block["type"] == "tool_use"
        ]
        texts = list(strings(request["messages"]))
        if not calls:
            lines = {line.split(":")[0] for text in texts for line in text.split("\n")}
            self.unlisted = [skill.name for skill in self.skills if f"- {skill.name}" not in lines]
        else:
            skill = self.skills[len(calls) - 1]
            is_there = any(instructions(skill) in text for text in texts)
            (self.used if is_there else self.wrong).append(skill.name)
        return self.skills[len(calls)].name if len(calls) < len(self.skills) else None

    def answer(self, request):
        """The content block that answers a request, and why the answer ends."""
        if any(tool["name"] == "Skill" for tool in request.get("tools", [])):
            name = self.next_skill(request)
            if name is not None:
                return {"type": "tool_use", "id": f"toolu_{name}", "name": "Skill", "input": {"skill": name}}, "tool_use"
        return {"type": "text", "text": "Done."}, "end_turn"


def events(message):
    """A message as a stream sends it."""
    block = message["content"][0]
    if block["type"] == "text":
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None}, "usage": message["usage"]}
    yield {"type": "message_stop"}


def handler(model):
    """What answers requests for a model."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, content_type, body):
            self.send_response(200)
            self.send_header("content-type", content_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_HEAD(self):
            self.send("application/json", b"")

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "count_tokens" in self.path:
                self.send("application/json", b'{"input_tokens": 100}')
                return
            block, reason = model.answer(request)
            message = {"id": "msg_1", "type": "message", "role": "assistant", "model": request["model"], "content": [block]}
            message |= {"stop_reason": reason, "stop_sequence": None, "usage": {"input_tokens": 100, "output_tokens": 10}}
            if not request.get("stream"):
                self.send("application/json", json.dumps(message).encode())
                return
            lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events(message))
            self.send("text/event-stream", "".join(lines).encode())

    return Handler


def main():
    folder, *command = sys.argv[1:]
    model = Model(folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(model))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    environment = {**os.environ, "ANTHROPIC_BASE_URL": address}
    ran = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    server.shutdown()
    if model.unlisted is None:
        sys.exit(f"error: no request has the Skill tool; exit code {ran.returncode}: {ran.stdout}{ran.stderr}")
    if model.unlisted or model.wrong or ran.returncode != 0 or len(model.used) != len(model.skills):
        seen = f"not listed: {model.unlisted}; without their text: {model.wrong}; used: {len(model.used)} of {len(model.skills)}"
        sys.exit(f"error: {seen}; exit code {ran.returncode}: {ran.stdout}{ran.stderr}")
    print(f"ok: {len(model.used)} skills listed and used")


main()
