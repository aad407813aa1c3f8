"""Limit the processor time of a process more than once, and tell afterwards that it was used up."""

import math
import resource
import signal
import time

from yarrow.isolation import syscalls as sys_

_EXIT_CODE = int(signal.SIGXCPU)


def exit_when_spent() -> None:
    """Have this process and its later forks exit at once when `limit_cpu_time` is exceeded.

    By a handler in C: the default action of SIGXCPU is not taken by the first process of a pid
    namespace, and a handler in Python would wait for C code to return.
    """
    sys_.exit_on_signal(signal.SIGXCPU)


def limit_cpu_time(cpu_s: int) -> None:
    """Let this process use so much more processor time, within its hard limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time() + cpu_s)
    if hard == resource.RLIM_INFINITY or soft < hard:
        resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def has_spent_cpu_time(exit_code: int, used_s: float, *, hard_limit_s: int) -> bool:
    """Whether a child with this exit code, negative for a signal, died of one of its limits."""
    # The kernel compares the limit with a count of ticks, which may run ahead of `used_s`.
    is_killed = exit_code == -signal.SIGKILL and used_s > 0.9 * hard_limit_s
    return is_killed or exit_code == _EXIT_CODE
