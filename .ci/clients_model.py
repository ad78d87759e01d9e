"""A scripted model that calls the tools of `rye mcp` through a client: python3 clients_model.py CLIENT EXPECTED COMMAND ARGS…

Serves the API of the client's models (claude, codex or gemini) on this machine, and runs COMMAND with its address in the environment and for
ADDRESS in ARGS. The model makes each call of CALLS and prints what the client shows it. Fails unless exactly the calls of the tools in EXPECTED
(names with commas, or `none`) bring the answer of the server. With `timeout` for EXPECTED it makes one slow call, which has to time out.
"""

import http.server
import json
import os
import subprocess
import sys
import threading

# The tool, its arguments, and texts of an answer of the server.
CALLS = [
    ("rye_search", {"query": "counts bytes"}, ["data, not instructions", "count"]),
    ("rye_load", {"item_type": "tool", "item_id": "count"}, ["data, not instructions", "wc -c"]),
    ("rye_sign", {"item_type": "tool", "item_id": "draft"}, ["signed"]),
    ("rye_execute", {"item_type": "tool", "item_id": "count", "parameters": {"text": "hello"}}, ["counted 16 bytes"]),
    ("rye_execute", {"item_type": "directive", "item_id": "greet", "parameters": {"name": "Ada"}}, ["Say hello to Ada."]),
]
SLOW = [("rye_execute", {"item_type": "tool", "item_id": "slow"}, ["timed out"])]


def objects(value):
    """All objects in a request, however deep."""
    if isinstance(value, dict):
        yield value
    if isinstance(value, (list, dict)):
        for inner in value if isinstance(value, list) else value.values():
            yield from objects(inner)


def texts(value):
    """All texts in a result, as one."""
    if isinstance(value, (list, dict)):
        return "".join(texts(inner) for inner in (value if isinstance(value, list) else value.values()))
    return value if isinstance(value, str) else ""


def stream(events):
    """Events as a server sends them."""
    lines = ((f"event: {event['type']}\n" if "type" in event else "") + f"data: {json.dumps(event)}\n\n" for event in events)
    return "text/event-stream", "".join(lines).encode()


class Claude:
    """The Messages API. The client shows names of tools, and their schemas after a call of `ToolSearch`."""

    find = ("ToolSearch", {"query": ",".join(["select:mcp__rye__rye_execute"] + [f"mcp__rye__rye_{tool}" for tool in ("load", "search", "sign")])})

    def is_turn(self, path, request):
        return "count_tokens" not in path and bool(request.get("tools"))

    def results(self, request):
        return {block["tool_use_id"]: texts(block["content"]) for block in objects(request["messages"]) if block.get("type") == "tool_result"}

    def call(self, tool, arguments, id):
        name = tool if tool == "ToolSearch" else f"mcp__rye__{tool}"
        block = {"type": "tool_use", "id": id, "name": name, "input": {}}
        return self.message(block, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use")

    def done(self):
        return self.message({"type": "text", "text": ""}, {"type": "text_delta", "text": "Done."}, "end_turn")

    def message(self, block, delta, reason):
        usage = {"input_tokens": 100, "output_tokens": 10}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "mocked", "content": [], "stop_reason": None}
        message |= {"stop_sequence": None, "usage": usage}
        return stream([
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ])


class Codex:
    """The Responses API. The client shows one tool, `exec`, whose JavaScript calls the tools of servers."""

    find = ("exec", "text(ALL_TOOLS.map(tool => tool.name).filter(name => name.startsWith('mcp__rye__')).join(' '))")

    def is_turn(self, path, _request):
        return path.endswith("/responses")

    def results(self, request):
        return {item["call_id"]: texts(item["output"]) for item in request["input"] if item["type"] == "custom_tool_call_output"}

    def call(self, tool, arguments, id):
        script = arguments if tool == "exec" else f"text(await tools.mcp__rye__{tool}({json.dumps(arguments)}))"
        item = {"type": "custom_tool_call", "id": f"ctc_{id}", "call_id": id, "namespace": "functions", "name": "exec", "input": script}
        return self.response(item)

    def done(self):
        return self.response({"type": "message", "id": "msg_1", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]})

    def response(self, item):
        usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110, "input_tokens_details": None, "output_tokens_details": None}
        return stream([
            {"type": "response.created", "response": {"id": "resp_1"}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
        ])


class Gemini:
    """The generateContent API. The client shows all tools that it lets through or can ask about."""

    find = None

    def is_turn(self, path, _request):
        return "streamGenerateContent" in path

    def results(self, request):
        found = [part["functionResponse"] for part in objects(request["contents"]) if "functionResponse" in part]
        return {result["id"]: texts(result["response"]) for result in found}

    def call(self, tool, arguments, id):
        return self.response({"functionCall": {"id": id, "name": f"mcp_rye_{tool}", "args": arguments}})

    def done(self):
        return self.response({"text": "Done."})

    def response(self, part):
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        return stream([{"candidates": [candidate], "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}}])


class Model:
    """The script, and the results that it saw."""

    def __init__(self, api, calls):
        self.api, self.results = api, {}
        self.steps = {f"call_{index}": call[:2] for index, call in enumerate(calls)}
        if api.find:
            self.steps = {"find": api.find, **self.steps}

    def answer(self, path, request):
        if not self.api.is_turn(path, request):
            return "application/json", b"{}"
        self.results |= self.api.results(request)
        for id, (tool, arguments) in self.steps.items():
            if id not in self.results:
                return self.api.call(tool, arguments, id)
        return self.api.done()


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

        def do_GET(self):
            self.send("application/json", b"{}")

        do_HEAD = do_GET

        def do_POST(self):
            self.send(*model.answer(self.path, json.loads(self.rfile.read(int(self.headers["content-length"])))))

    return Handler


def main():
    client, expected, *command = sys.argv[1:]
    calls = SLOW if expected == "timeout" else CALLS
    model = Model({"claude": Claude, "codex": Codex, "gemini": Gemini}[client](), calls)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(model))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    environment = {**os.environ, "ANTHROPIC_BASE_URL": address, "GOOGLE_GEMINI_BASE_URL": address}
    command = [argument.replace("ADDRESS", address) for argument in command]
    ran = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    server.shutdown()
    told = f"exit code {ran.returncode}: {ran.stdout}{ran.stderr}"
    if ran.returncode != 0 or model.steps.keys() - model.results.keys():
        sys.exit(f"error: {client}: results of {sorted(model.results)} only; {told}")
    through = {"none"}
    for index, (tool, arguments, answer) in enumerate(calls):
        result = model.results[f"call_{index}"]
        if all(text in result for text in answer):
            through = through - {"none"} | {"timeout" if calls is SLOW else tool}
        shown = " ".join(result.split())
        print(f"   {tool} {arguments.get('item_type', '')}: {shown if len(shown) < 160 else shown[:157] + '...'}")
    if through != set(expected.split(",")):
        sys.exit(f"error: {client}: let through: {sorted(through)}; expected: {expected}; {told}")
    print(f"ok: {client}: {expected}")


main()
