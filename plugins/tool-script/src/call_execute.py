# Calls `execute(params, project_path)` of the script. What it prints goes to standard error, so that what it returns is the result.
import json
import os
import sys

script, project_path = sys.argv[1:3]
sys.argv[:] = [script]
# Behind everything else: companions can be imported and take the place of nothing.
sys.path.append(os.path.dirname(script))
params = json.load(sys.stdin)
result_file = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
tool = type(sys)("tool")
tool.__file__ = script
sys.modules["tool"] = tool
with open(script, "rb") as file:
    exec(compile(file.read(), script, "exec"), tool.__dict__)
result = tool.execute(params, project_path)
if hasattr(result, "__await__"):
    import asyncio

    async def wait():
        return await result

    result = asyncio.run(wait())
if result is not None:
    json.dump(result, result_file, default=str)
result_file.flush()
