"""Isolate the rendering child: V8 runs expressions from untrusted specs.

Privileges are dropped first, while there is one thread, because a seccomp filter applies to
threads created after it. Then one chart is rendered, for which V8 reserves most of the memory it
ever does; the memory limit is set after that, on top of it.
"""

import os
import resource
from collections.abc import Callable
from pathlib import Path

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.landlock import restrict_files
from yarrow.isolation.namespaces import enter_new_root
from yarrow.isolation.privileges import drop_privileges, switch_user_if_mapped
from yarrow.isolation.seccomp import is_supported
from yarrow.rendering.fonts import SYSTEM_FONTS
from yarrow.rendering.messages import RenderIsolation

MEMORY_BYTES = 768 * 1024 * 1024
OPEN_FILES = 128

_FONT_SETTINGS = "/etc/fonts"
_ALLOWED_CALLS = frozenset({"socketpair"})
"""The event loop inside vl-convert wakes itself through a socket pair."""


def isolate_renderer(isolation: RenderIsolation, warm_up: Callable[[], None]) -> None:
    """Raises `OSError` where the machine has no namespaces, or no Landlock."""
    sys_.close_from(3)
    statm = os.open("/proc/self/statm", os.O_RDONLY)
    match isolation:
        case RenderIsolation.FULL:
            _enter_small_root()
        case RenderIsolation.LANDLOCK:
            restrict_files(readable=(*SYSTEM_FONTS, Path(_FONT_SETTINGS)))
            sys_.drop_capabilities()
    _drop_rights()
    warm_up()
    _limit_memory(statm)
    os.close(statm)


def _enter_small_root() -> None:
    """Mount the libraries and the fonts only, and drop all capabilities."""
    with enter_new_root((*map(str, SYSTEM_FONTS), _FONT_SETTINGS)):
        pass
    switch_user_if_mapped()
    sys_.drop_capabilities()


def _drop_rights() -> None:
    if is_supported():
        drop_privileges(allowed_calls=_ALLOWED_CALLS)
    for kind, value in {
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_CORE: 0,
    }.items():
        resource.setrlimit(kind, (value, value))


def _limit_memory(statm: int) -> None:
    """V8 maps gigabytes of address space and makes them writable as needed: RLIMIT_DATA counts the
    writable part, RLIMIT_AS the rest."""
    pages = os.pread(statm, 200, 0).split()
    for kind, count in ((resource.RLIMIT_AS, pages[0]), (resource.RLIMIT_DATA, pages[5])):
        value = int(count) * resource.getpagesize() + MEMORY_BYTES
        resource.setrlimit(kind, (value, value))
