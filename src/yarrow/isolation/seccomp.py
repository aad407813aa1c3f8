"""Forbid system calls by a seccomp filter.

A deny-list: computing needs many calls that differ by library and version, but none of those
below. Namespaces keep a process from the host's resources; this reduces the kernel's attack
surface.
"""

import errno
import os
from functools import cache

from yarrow.isolation.syscalls import BpfProgram, install_filter, make_bpf_program

_X86_64 = 0xC000003E
_AARCH64 = 0xC00000B7
_X32_BIT = 0x40000000
_CLONE_THREAD = 0x00010000

_LOAD_WORD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER_EQUAL = 0x35
_JUMP_BITS_SET = 0x45
_RETURN = 0x06

_AT_NUMBER, _AT_ARCHITECTURE, _AT_FIRST_ARGUMENT, _AT_SECOND_ARGUMENT = 0, 4, 16, 24
_ALLOW = 0x7FFF0000
_FAIL_WITH = 0x00050000
_KILL = 0x80000000

_CLONE = {_X86_64: 56, _AARCH64: 220}
_CLONE3 = 435

_FORBIDDEN: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "execve": (59, 221),
    "execveat": (322, 281),
    "unshare": (272, 97),
    "setns": (308, 268),
    "tkill": (200, 130),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "personality": (135, 92),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "vmsplice": (278, 75),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
}
"""Call numbers by name: x86-64, AArch64."""

_SIGNALS = {
    "kill": (62, 129),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
}
"""Allowed with the process itself as the first argument, for `abort` and signals of threads."""

_OWN_SETTINGS = {
    "prlimit64": (302, 261),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
}
"""Allowed with the process itself, or 0, as the first argument: a limit of processor time that is
set for another process ends that process."""

_SIGNALS_OF_FILES = {
    "fcntl": ((72, 25), (8, 10, 15)),
    "ioctl": ((16, 29), (0x8901, 0x8902)),
}
"""Refused with these second arguments (F_SETOWN, F_SETSIG, F_SETOWN_EX; FIOSETOWN, SIOCSPGRP): the
kernel would send the signal to the owner of the file."""

_Step = tuple[int, int, int, int]
_REFUSE: _Step = (_RETURN, 0, 0, _FAIL_WITH | errno.EPERM)
_PERMIT: _Step = (_RETURN, 0, 0, _ALLOW)

_ARCHITECTURES = {"x86_64": (_X86_64, 0), "aarch64": (_AARCH64, 1)}


def is_supported() -> bool:
    """Whether the call numbers of this machine are known."""
    return os.uname().machine in _ARCHITECTURES


def forbid_system_calls(*, allowed: frozenset[str] = frozenset()) -> None:
    """Install the filter for this thread and all that it starts; it cannot be removed.

    Signals, limits and priorities are for the process itself only: without a pid namespace, a child
    could end all processes of its user.
    `allowed` names calls to leave out of the list, for libraries that need them.
    """
    install_filter(build_filter(allowed, os.getpid()))


@cache
def build_filter(allowed: frozenset[str], pid: int) -> BpfProgram:
    """The filter of a process with this id; kept, so that a parent can build that of its forks."""
    architecture, column = _ARCHITECTURES[os.uname().machine]
    numbers = [row[column] for name, row in _FORBIDDEN.items() if name not in allowed]
    return make_bpf_program(
        [
            *_check_architecture(architecture),
            *(step for number in numbers if number is not None for step in _refuse_call(number)),
            *_limit_arguments(column, pid),
            *_limit_clone(architecture),
            _PERMIT,
        ]
    )


def _check_architecture(architecture: int) -> list[_Step]:
    return [
        (_LOAD_WORD, 0, 0, _AT_ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD_WORD, 0, 0, _AT_NUMBER),
        (_JUMP_GREATER_EQUAL, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]


def _refuse_call(number: int) -> list[_Step]:
    return [(_JUMP_EQUAL, 0, 1, number), _REFUSE]


def _limit_arguments(column: int, own: int) -> list[_Step]:
    """The kernel reads these arguments as 32-bit numbers, so their lower words are all of them."""
    steps = []
    for numbers in _SIGNALS.values():
        steps += _check_argument(numbers[column], _AT_FIRST_ARGUMENT, (own,), _PERMIT, _REFUSE)
    for numbers in _OWN_SETTINGS.values():
        steps += _check_argument(numbers[column], _AT_FIRST_ARGUMENT, (own, 0), _PERMIT, _REFUSE)
    for numbers, commands in _SIGNALS_OF_FILES.values():
        steps += _check_argument(numbers[column], _AT_SECOND_ARGUMENT, commands, _REFUSE, _PERMIT)
    return steps


def _check_argument(
    number: int, offset: int, values: tuple[int, ...], listed: _Step, other: _Step
) -> list[_Step]:
    """End with `listed` if the call's argument is one of the values, else with `other`."""
    steps: list[_Step] = [(_LOAD_WORD, 0, 0, offset)]
    for value in values:
        steps += [(_JUMP_EQUAL, 0, 1, value), listed]
    steps.append(other)
    return [(_JUMP_EQUAL, 0, len(steps), number), *steps]


def _limit_clone(architecture: int) -> list[_Step]:
    """Threads, no processes."""
    return [
        # ENOSYS: the C library falls back to clone, whose flags the filter can read.
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _FAIL_WITH | errno.ENOSYS),
        (_JUMP_EQUAL, 0, 3, _CLONE[architecture]),
        (_LOAD_WORD, 0, 0, _AT_FIRST_ARGUMENT),
        (_JUMP_BITS_SET, 1, 0, _CLONE_THREAD),
        _REFUSE,
    ]
