"""Settings of glibc's malloc; other C libraries have none of them."""

import ctypes

_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
LARGE_BLOCK = 1 << 20


def return_large_blocks() -> None:
    """Give blocks of a megabyte back to the system as soon as they are freed.

    Otherwise glibc keeps blocks of up to 32 MB once one was freed, for each thread that frees one.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, LARGE_BLOCK)
        mallopt(_M_TRIM_THRESHOLD, LARGE_BLOCK)
