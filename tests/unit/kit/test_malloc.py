"""Memory of large blocks goes back to the system."""

import subprocess
import sys

PROGRAM = """
import ctypes, psutil, threading
from yarrow.kit.malloc import return_large_blocks

if {returns}:
    return_large_blocks()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]

def use():
    for _ in range(3):
        block = libc.malloc(ctypes.c_size_t(19 << 20))
        ctypes.memset(block, 1, 19 << 20)
        libc.free(block)

before = psutil.Process().memory_info().rss
thread = threading.Thread(target=use)
thread.start()
thread.join()
print((psutil.Process().memory_info().rss - before) >> 20)
"""


def grow(*, returns: bool) -> int:
    program = PROGRAM.format(returns=returns)
    command = [sys.executable, "-c", program]
    return int(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def test_a_thread_keeps_no_large_block() -> None:
    assert grow(returns=False) > 15
    assert grow(returns=True) < 5
