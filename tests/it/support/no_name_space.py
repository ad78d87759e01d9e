# Runs a program on a system that lets nobody make a name space, and so no mounts.
import ctypes, os, platform, struct, sys
libc = ctypes.CDLL(None)
unshare = {'x86_64': 272, 'aarch64': 97}[platform.machine()]
ops = [(0x20, 0, 0, 0), (0x15, 0, 1, unshare), (0x06, 0, 0, 0x50000 | 1), (0x06, 0, 0, 0x7fff0000)]
program = b''.join(struct.pack('HBBI', *op) for op in ops)
class Filter(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('ops', ctypes.c_char_p)]
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Filter(len(ops), program))) == 0
os.execv(sys.argv[1], sys.argv[1:])
