# Runs a program on a kernel that knows no Landlock, as far as it can tell.
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
ops = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7fff0000)]
program = b''.join(struct.pack('HBBI', *op) for op in ops)
class Filter(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('ops', ctypes.c_char_p)]
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(Filter(len(ops), program))) == 0
os.execv(sys.argv[1], sys.argv[1:])
