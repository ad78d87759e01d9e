"""An MCP server with one tool, which runs the given Python code: `result` is its answer, `failed` says that it is an error."""

import json
import os
import sys
import time

SCHEMA = {"type": "object", "properties": {"code": {"type": "string"}}, "required": ["code"]}
TOOLS = [{"name": "run", "description": "Runs code.", "inputSchema": SCHEMA}]


def answer(message):
    if message["method"] == "initialize":
        version = message["params"]["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "r", "version": "1"}}
    if message["method"] == "tools/list":
        return {"tools": TOOLS}
    known = {"json": json, "os": os, "sys": sys, "time": time, "tools": TOOLS, "result": "done", "failed": False}
    exec(message["params"]["arguments"]["code"], known)
    return {"content": [{"type": "text", "text": str(known["result"])}], "isError": known["failed"]}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    try:
        said = {"result": answer(message)}
    except Exception as error:
        said = {"error": {"code": -32000, "message": repr(error)}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
