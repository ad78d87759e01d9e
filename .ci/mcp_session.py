"""A whole session with the official Python client: `python mcp_session.py PROGRAM`.

Needs the package `mcp`; `.ci/run` makes an environment of its own for it. Everything happens in a folder for temporary
files. The first thing that is not as it should be ends the run, with what was seen.
"""

import asyncio
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

SLOW = """\
# version: 1.0.0
# description: "Waits"
# category: demo
echo started > RUN/started
while :; do sleep 0.05; done
"""

ECHO = """\
# version: 1.0.0
# description: "Returns what it was given"
# category: demo
cat
"""

NOTES = """\
```yaml
name: notes
version: "1.0.0"
title: Notes about zebras
category: demo
```

Zebras have stripes.
"""

GREET = """\
# Greet

```xml
<directive name="greet" version="1.0.0">
  <metadata>
    <description>Greet somebody by name</description>
    <category>demo</category>
    <author>ada</author>
  </metadata>
  <inputs>
    <input name="name" type="string" required="true">Whom to greet</input>
    <input name="times" type="integer" default="1">How often</input>
  </inputs>
</directive>
```

Say hello to {input:name} {input:times} times.
"""

TOOLS = ["rye_execute", "rye_load", "rye_search", "rye_sign"]


class Broken(Exception):
    """Something is not as it should be."""


def check(what, seen, expected):
    if seen != expected:
        raise Broken(f"{what}: expected {expected!r}, and there is {seen!r}")
    print(f"ok: {what}", flush=True)


class World:
    """A home folder and a project with a few signed items."""

    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder).resolve()
        self.project = self.folder / "project"
        (self.folder / "home").mkdir()
        self.project.mkdir()
        self.environment = {
            "HOME": str(self.folder / "home"),
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        subprocess.run(["git", "init", "--quiet"], cwd=self.project, check=True, env=self.environment)
        self.put("tools/demo/echo.sh", ECHO)
        # A script writes where its person lets it: in a copy of the project, and elsewhere itself, which is seen while it runs.
        self.run = self.folder / "run"
        self.run.mkdir()
        self.put("tools/demo/slow.sh", SLOW.replace("RUN", str(self.run)))
        self.put("knowledge/demo/notes.md", NOTES)
        self.put("directives/demo/greet.md", GREET)
        self.config = self.folder / "home" / ".config" / "rye" / "config.toml"
        self.config.parent.mkdir(parents=True, mode=0o700)
        self.configure()
        self.rye("sign", "--all", "--quiet")

    def configure(self, more=""):
        """Writes the person's configuration: flags of the command line can only narrow what it allows."""
        self.config.write_text(f'[sandbox]\nwrite = ["{self.run}"]\n{more}')

    def put(self, path, text):
        file = self.project / ".ai" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def rye(self, *args):
        subprocess.run([self.program, *args], cwd=self.project, check=True, env=self.environment)

    def server(self, *args, cwd=None):
        return StdioServerParameters(
            command=self.program, args=["mcp", *args], env=self.environment, cwd=str(cwd or self.project)
        )


def is_running(script):
    """Tells whether a script of this name runs. In the sandbox it does not know its number out here."""
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if any(word.endswith(b"/" + script.encode()) for word in line.read_bytes().split(b"\0")):
                return True
        except OSError:
            continue
    return False


async def until(what, holds):
    for _ in range(600):
        if holds():
            print(f"ok: {what}", flush=True)
            return
        await anyio.sleep(0.05)
    raise Broken(f"{what}: not within 30 seconds")


async def session(world, mode):
    """Initialize, list, every tool, a resource, a prompt, errors, progress, cancel."""
    print(f"\n--- a session, mode {mode}")
    world.put("tools/demo/new.sh", ECHO)
    world.configure('[mcp]\npermissions = ["rye.*"]\n')
    async with Client(world.server(), mode=mode) as client:
        check("the server's name", client.server_info.name, "rye")
        tools = (await client.list_tools()).tools
        check("the tools", sorted(tool.name for tool in tools), TOOLS)
        prompts = (await client.list_prompts()).prompts
        greet = next(prompt for prompt in prompts if prompt.name == "demo_greet")
        check("a prompt's arguments", [(one.name, one.required) for one in greet.arguments], [("name", True), ("times", False)])
        resources = [str(resource.uri) for resource in (await client.list_resources()).resources]
        check("a listed resource", "rye://knowledge/demo/notes" in resources, True)
        templates = (await client.list_resource_templates()).resource_templates
        expected = ["rye://knowledge/{+id}", "skill://{+id}/{+path}"]
        check("the templates", [one.uri_template for one in templates], expected)

        result = await client.call_tool(
            "rye_execute", {"item_type": "tool", "item_id": "demo/echo", "parameters": {"text": "hello"}}
        )
        check("rye_execute", (result.is_error, result.structured_content["result"]), (False, {"text": "hello"}))
        result = await client.call_tool("rye_load", {"item_type": "tool", "item_id": "demo/new"})
        loaded = result.structured_content
        check("rye_load", (loaded["verdict"], loaded["treat_as"]), ("unsigned", "data, not instructions"))
        result = await client.call_tool("rye_search", {"query": "zebras"})
        found = [(one["item_type"], one["item_id"]) for one in result.structured_content["results"]]
        check("rye_search", found[:1], [("knowledge", "demo/notes")])
        result = await client.call_tool("rye_sign", {"item_type": "tool", "item_id": "demo/new"})
        check("rye_sign", (result.is_error, result.structured_content["items"][0]["item_id"]), (False, "demo/new"))
        result = await client.call_tool("rye_execute", {"item_type": "tool", "item_id": "demo/new"})
        code = result.structured_content["error"]["code"]
        check("what the agent signed is not executed", (result.is_error, code), (True, "untrusted"))

        read = await client.read_resource("rye://knowledge/demo/notes")
        check("a resource", read.contents[0].text, "Zebras have stripes.")
        prompt = await client.get_prompt("demo_greet", {"name": "Ada", "times": "2"})
        text = prompt.messages[0].content.text
        check("a prompt", "Say hello to Ada 2 times." in text, True)
        try:
            await client.get_prompt("demo_greet", {})
            raise Broken("a prompt without its required argument is filled in")
        except MCPError as error:
            check("a prompt without its argument", error.error.data["code"], "wrong-inputs")

        told = []

        async def on_progress(progress, total, message):
            told.append((progress, message))

        started = world.run / "started"
        started.unlink(missing_ok=True)
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                async def cancel_when_running():
                    await until("a tool runs", lambda: started.exists() and started.read_text().endswith("\n"))
                    check("it is seen to run", is_running("slow.sh"), True)
                    scope.cancel()

                group.start_soon(cancel_when_running)
                arguments = {"item_type": "tool", "item_id": "demo/slow"}
                await client.call_tool("rye_execute", arguments, progress_callback=on_progress)
        check("progress", told[:1], [(0.0, "execute tool demo/slow")])
        await until("a cancelled tool is stopped", lambda: not is_running("slow.sh"))
        result = await client.call_tool("rye_load", {"item_type": "tool", "item_id": "demo/echo"})
        check("a call after a cancelled one", result.is_error, False)


async def roots(world):
    """A client with roots is worked for there, wherever the server was started."""
    print("\n--- roots")
    world.configure()

    async def on_roots(_):
        return types.ListRootsResult(roots=[types.Root(uri=world.project.as_uri())])

    async with Client(world.server(cwd="/"), mode="legacy", list_roots_callback=on_roots) as client:
        result = await client.call_tool("rye_execute", {"item_type": "knowledge", "item_id": "demo/notes"})
        check("an item of the client's root", result.structured_content.get("content"), "Zebras have stripes.")
        result = await client.call_tool("rye_sign", {"item_type": "tool", "item_id": "demo/echo"})
        code = result.structured_content["error"]["code"]
        check("signing is not allowed unless it is enabled", (result.is_error, code), (True, "denied"))


def garbage(world):
    """What is no message is answered, the connection goes on, and the end of stdin is the end."""
    print("\n--- garbage")
    server = subprocess.Popen(
        [world.program, "mcp"], cwd=world.project, env=world.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def told(line):
        server.stdin.write(line + b"\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())

    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "ci", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    check("initialize", told(json.dumps(hello).encode())["id"], 1)
    check("no JSON", told(b"garbage")["error"]["code"], -32700)
    check("no UTF-8", told(b"\xff\xfe")["error"]["code"], -32700)
    check("a batch", told(b"[]")["error"]["code"], -32600)
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    check("a request after garbage", told(json.dumps(ping).encode())["result"], {})
    server.stdin.close()
    check("nothing else on stdout", server.stdout.read(), b"")
    check("the exit code", server.wait(30), 0)


async def everything(program):
    with tempfile.TemporaryDirectory() as folder:
        world = World(program, folder)
        for mode in ("legacy", "auto"):
            await session(world, mode)
        await roots(world)
        garbage(world)
    print("\npassed")


def broken_in(error):
    """Finds what broke inside of the groups that task groups raise."""
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(broken_in, error.exceptions)), None)
    return error if isinstance(error, Broken) else None


def main():
    # A session that hangs is one that failed.
    signal.alarm(300)
    try:
        asyncio.run(everything(os.path.abspath(sys.argv[1])))
    except BaseException as error:
        broken = broken_in(error)
        if broken is None:
            raise
        sys.exit(f"error: {broken}")


if __name__ == "__main__":
    main()
