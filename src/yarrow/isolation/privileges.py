"""Lower the priority and drop the privileges of a process, irrevocably."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.seccomp import forbid_system_calls

NICENESS = 10
RETRIES, RETRY_S = 50, 0.1
_AUTOGROUP = "/proc/self/autogroup"


def lower_priority() -> None:
    """Raise the nice value of this process and its children, so that the server goes first."""
    os.nice(NICENESS)


def lower_session_priority() -> Callable[[], None]:
    """Return a function that does the same for the session that this process leads.

    Linux may schedule sessions as a whole (autogroup). The file is opened now, because `/proc` may
    be unmounted when the function is called.
    """
    try:
        autogroup = os.open(_AUTOGROUP, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return lambda: None  # the kernel has no autogroups
    return partial(_set_session_niceness, autogroup)


def _set_session_niceness(autogroup: int) -> None:
    for _ in range(RETRIES):
        try:
            os.write(autogroup, str(NICENESS).encode())
        except BlockingIOError:
            time.sleep(RETRY_S)  # the kernel accepts ten writes a second, of all sessions
        except OSError:
            break
        else:
            break
    os.close(autogroup)


def switch_user_if_mapped() -> None:
    """Become the second user of the user namespace, where one is mapped."""
    try:
        os.setgroups([])
        os.setresgid(1, 1, 1)
        os.setresuid(1, 1, 1)
    except OSError:
        # A server that is not root can map only its own user.
        return


def drop_privileges(*, allowed_calls: frozenset[str] = frozenset()) -> None:
    """Forbid core dumps, new privileges and most system calls; needs no namespaces."""
    sys_.forbid_debugging()
    sys_.die_with_parent(signal.SIGKILL)
    sys_.forbid_new_privileges()
    forbid_system_calls(allowed=allowed_calls)
