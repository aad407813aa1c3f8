"""Landlock (Linux 5.13): a process gives up its access to files; needs no namespaces."""

import ctypes
import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.namespaces import DEVICES, LIBRARIES

_NR_CREATE_RULESET, _NR_ADD_RULE, _NR_RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_ACCESS_BITS = {1: 13, 2: 14, 3: 15, 4: 15}
"""How many kinds of access a version knows; later ones have at least 16."""

_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = _READ_FILE | _WRITE_FILE | _TRUNCATE


class _Ruleset(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def is_available() -> bool:
    """Whether the kernel has Landlock, and it is switched on."""
    return _find_version() > 0


def restrict_files(*, readable: Iterable[Path] = (), writable: Iterable[Path] = ()) -> None:
    """Leave this thread and all it starts the libraries and these paths, irrevocably.

    Landlock covers opening, creating, removing and renaming. It does not cover changes of mode,
    owner, times and extended attributes on any kernel, nor truncation by path before version 3
    (Linux 6.2). Missing paths are skipped. Raises `OSError` where Landlock is missing.
    """
    known = (1 << _ACCESS_BITS.get(_find_version(), 16)) - 1
    rules = _Ruleset(known)
    size = ctypes.c_size_t(ctypes.sizeof(rules))
    ruleset = sys_.syscall(_NR_CREATE_RULESET, ctypes.byref(rules), size, ctypes.c_uint(0))
    try:
        for path in (*map(Path, LIBRARIES), Path(sys.base_prefix), Path(sys.prefix), *readable):
            _allow_path(ruleset, path, _READ & known)
        for path in (*map(Path, DEVICES), *writable):
            _allow_path(ruleset, path, _WRITE & known)
        sys_.forbid_new_privileges()
        sys_.syscall(_NR_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _allow_path(ruleset: int, path: Path, access: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(fd).st_mode)
        rule = _PathBeneath(access if is_folder else access & _OF_FILES, fd)
        kind = ctypes.c_int(_RULE_PATH_BENEATH)
        ruleset_fd, no_flags = ctypes.c_int(ruleset), ctypes.c_uint(0)
        sys_.syscall(_NR_ADD_RULE, ruleset_fd, kind, ctypes.byref(rule), no_flags)
    finally:
        os.close(fd)


def _find_version() -> int:
    no_attributes, no_size = ctypes.c_void_p(), ctypes.c_size_t(0)
    try:
        return sys_.syscall(_NR_CREATE_RULESET, no_attributes, no_size, ctypes.c_uint(_ASK_VERSION))
    except OSError:
        return 0
