"""Runs a program on a terminal of its own, and passes on what is to be seen there and what is typed, as it comes.

relay.py COLUMNS PROGRAM ARGUMENT…
"""

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios

signal.alarm(120)
columns = int(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])

sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 4096)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal in ready:
        try:
            seen = os.read(terminal, 65536)
        except OSError:
            break
        if not seen:
            break
        os.write(1, seen)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
