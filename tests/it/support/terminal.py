"""Runs a program on a terminal of its own, answers what it asks, and shows all that was to be seen there.

terminal.py DIALOGUE PROGRAM ARGUMENT…: DIALOGUE is a JSON list of [what is waited for, what is typed then].
"""

import json
import os
import pty
import signal
import sys

signal.alarm(60)
dialogue = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])

seen = b""
at = 0


def read():
    """Reads what came; nothing when the terminal is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


for question, answer in dialogue:
    while question.encode() not in seen[at:]:
        more = read()
        if not more:
            sys.exit(f"`{question}` was never asked: {seen!r}")
        seen += more
    at = len(seen)
    os.write(terminal, answer.encode())
while more := read():
    seen += more
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(status))
