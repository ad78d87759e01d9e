"""Runs a program on a terminal of its own, and answers its questions with what it is told to type."""

import json
import os
import pty
import select
import sys
import time

answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[2], sys.argv[2:])

shown, deadline = b"", time.monotonic() + 30
while time.monotonic() < deadline:
    if select.select([terminal], [], [], 0.1)[0]:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that nobody has the terminal open any more
            break
        if not part:
            break
        shown += part
    if answers and shown.endswith(b"[y/N] "):
        os.write(terminal, answers.pop(0).encode())
        shown += b"|"
else:
    os.kill(child, 9)
sys.stdout.buffer.write(shown)
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)
