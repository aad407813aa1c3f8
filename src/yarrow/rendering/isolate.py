"""The lock around the child that draws: V8 runs expressions that somebody else wrote.

First the rights go, while there is one thread: a filter of calls holds for the threads that come
after it. Then one picture is drawn, for which V8 reserves most of what it ever does. The memory
is limited after that, counted from there.
"""

import os
import resource
from collections.abc import Callable

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.namespaces import new_root
from yarrow.isolation.privileges import become_nobody, give_up_rights
from yarrow.isolation.seccomp import is_supported
from yarrow.rendering.fonts import SYSTEM_FONTS
from yarrow.rendering.protocol import Lock

MEMORY_BYTES = 768 * 1024 * 1024
OPEN_FILES = 128
CPU_S = 20
"""Of all threads together, for one picture."""

_FONT_SETTINGS = "/etc/fonts"
_NEEDED = frozenset({"socketpair"})
"""The loop inside vl-convert wakes itself through a pair of sockets."""


def confine(lock: Lock, warm_up: Callable[[], None]) -> None:
    """Raises `OSError` where the machine does not have what the lock needs."""
    sys_.close_from(3)
    counts = os.open("/proc/self/statm", os.O_RDONLY)
    match lock:
        case Lock.FULL:
            _enter_small_root()
        case Lock.LIMITS:
            pass
    _give_up()
    warm_up()
    _limit_memory(counts)
    os.close(counts)


def _enter_small_root() -> None:
    """See the libraries and the fonts and nothing else, and hold no capability."""
    with new_root((*map(str, SYSTEM_FONTS), _FONT_SETTINGS)):
        pass
    become_nobody()
    sys_.drop_capabilities()


def _give_up() -> None:
    if is_supported():
        give_up_rights(needed=_NEEDED)
    for kind, most in {
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }.items():
        resource.setrlimit(kind, (most, most))


def _limit_memory(counts: int) -> None:
    """V8 maps address space by the gigabyte and makes it writable as it needs it: the second
    limit counts that, the first all other."""
    pages = os.pread(counts, 200, 0).split()
    for kind, count in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
        most = int(count) * resource.getpagesize() + MEMORY_BYTES
        resource.setrlimit(kind, (most, most))


def limit_time() -> None:
    """For the next picture; the kernel counts from the start of the process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime) + CPU_S
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.RLIM_INFINITY))
