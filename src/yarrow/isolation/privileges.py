"""Rights that a process gives up for ever before it reads what somebody else wrote."""

import os
import signal
import time
from collections.abc import Callable
from functools import partial

from yarrow.isolation import syscalls as sys_
from yarrow.isolation.seccomp import forbid_system_calls

NICENESS = 10
TRIES, TRY_AGAIN_S = 50, 0.1
_SESSION = "/proc/self/autogroup"


def go_last() -> None:
    """This process and its children leave the processor to others, where there is not enough for
    all: whoever answers clients must not wait for a job."""
    os.nice(NICENESS)


def session_goes_last() -> Callable[[], None]:
    """The same for the session that this process began: Linux may weigh sessions as wholes.

    To be asked for while there is a `/proc`, and called when it is time.
    """
    try:
        weight = os.open(_SESSION, os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return lambda: None  # sessions are not weighed here
    return partial(_weigh, weight)


def _weigh(session: int) -> None:
    for _ in range(TRIES):
        try:
            os.write(session, str(NICENESS).encode())
        except BlockingIOError:
            time.sleep(TRY_AGAIN_S)  # such a wish is heard ten times in a second at most
        except OSError:
            break
        else:
            break
    os.close(session)


def become_nobody() -> None:
    """The second user of the namespace, where there is one."""
    try:
        os.setgroups([])
        os.setresgid(1, 1, 1)
        os.setresuid(1, 1, 1)
    except OSError:
        # A server that is not root has only its own user to give.
        return


def give_up_rights(*, needed: frozenset[str] = frozenset()) -> None:
    """What can be given up also where there are no namespaces; `needed` as in the filter."""
    sys_.forbid_debugging()
    sys_.die_with_parent(signal.SIGKILL)
    sys_.forbid_new_privileges()
    forbid_system_calls(needed=needed)
