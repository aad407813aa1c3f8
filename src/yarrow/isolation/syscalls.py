"""System calls that Python 3.11 does not wrap, by ctypes."""

import ctypes
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_BIND = 4096
MS_REC = 16384
MS_PRIVATE = 1 << 18
MS_NOSUID = 2
MS_NODEV = 4
MNT_DETACH = 2

ATTR_RDONLY = 0x1
ATTR_NOSUID = 0x2
ATTR_NODEV = 0x4
ATTR_NOEXEC = 0x8

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_NR_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_NR_MOUNT_SETATTR = 442
_NR_CLOSE_RANGE = 436

_libc = ctypes.CDLL(None, use_errno=True)


class _MountAttributes(ctypes.Structure):
    _fields_ = (
        ("attr_set", ctypes.c_uint64),
        ("attr_clr", ctypes.c_uint64),
        ("propagation", ctypes.c_uint64),
        ("userns_fd", ctypes.c_uint64),
    )


class _BpfInstruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("jt", ctypes.c_uint8),
        ("jf", ctypes.c_uint8),
        ("k", ctypes.c_uint32),
    )


class BpfProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("filter", ctypes.POINTER(_BpfInstruction)))


def syscall(number: int, *arguments: object) -> int:
    """A system call by its number; raises `OSError` if it fails."""
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    _require_success(result, f"system call {number}")
    return result


def unshare(flags: int) -> None:
    _require_success(_libc.unshare(flags), "unshare")


def setns(fd: int, kind: int) -> None:
    _require_success(_libc.setns(fd, kind), "setns")


def mount(source: str, target: str, *, kind: str = "", flags: int = 0, options: str = "") -> None:
    done = _libc.mount(
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() or None,
        ctypes.c_ulong(flags),
        options.encode() or None,
    )
    _require_success(done, f"mount {kind or 'bind'}")


def bind_mount(source: str, target: str, *, attributes: int) -> None:
    """Mount a file or a folder, and the mounts below it, in a second place."""
    mount(source, target, flags=MS_BIND | MS_REC)
    restrict_mount(target, attributes)


def restrict_mount(target: str, attributes: int, *, below: bool = True) -> None:
    """Add restrictions to a mount and, usually, to all below it (Linux 5.12)."""
    settings = _MountAttributes(attributes, 0, 0, 0)
    done = _libc.syscall(
        ctypes.c_long(_NR_MOUNT_SETATTR),
        ctypes.c_int(_AT_FDCWD),
        os.fsencode(target),
        ctypes.c_uint(_AT_RECURSIVE if below else 0),
        ctypes.byref(settings),
        ctypes.c_size_t(ctypes.sizeof(settings)),
    )
    _require_success(done, "mount_setattr")


def unmount(target: str) -> None:
    _require_success(_libc.umount2(os.fsencode(target), MNT_DETACH), "umount")


def pivot_root(new: str, old: str) -> None:
    number = ctypes.c_long(_NR_PIVOT_ROOT[os.uname().machine])
    _require_success(_libc.syscall(number, os.fsencode(new), os.fsencode(old)), "pivot_root")


def close_from(lowest: int) -> None:
    """Close every descriptor from this one on."""
    last = ctypes.c_uint(0xFFFFFFFF)
    number = ctypes.c_long(_NR_CLOSE_RANGE)
    done = _libc.syscall(number, ctypes.c_uint(lowest), last, ctypes.c_uint(0))
    _require_success(done, "close_range")


def die_with_parent(signal: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, signal)


def forbid_debugging() -> None:
    """No core dump, no ptrace and no access to our memory by a process of the same user."""
    _prctl(_PR_SET_DUMPABLE, 0)


def exit_on_signal(number: int) -> None:
    """Handle a signal by `_exit`, with the signal's number as the exit code."""
    _libc.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    _libc.signal(number, ctypes.cast(_libc._exit, ctypes.c_void_p))


def drop_capabilities() -> None:
    """Drop every capability, from the bounding set too, so that exec cannot regain one."""
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    _require_success(_libc.capset(header, (ctypes.c_uint32 * 6)()), "capset")


def forbid_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def make_bpf_program(steps: list[tuple[int, int, int, int]]) -> BpfProgram:
    instructions = (_BpfInstruction * len(steps))(*(_BpfInstruction(*step) for step in steps))
    return BpfProgram(len(steps), instructions)


def install_filter(filled: BpfProgram) -> None:
    """Install a BPF program that filters every system call from now on."""
    done = _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(filled), 0, 0)
    _require_success(done, "seccomp")


def _prctl(option: int, value: int) -> None:
    _require_success(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")


def _require_success(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
