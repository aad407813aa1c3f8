"""Rights that a process gives up for ever before it reads what somebody else wrote."""

import os
import signal
import time
from pathlib import Path

from yarrow.lockdown import syscalls as sys_
from yarrow.lockdown.seccomp import forbid_system_calls

NICENESS = 10
TRIES, TRY_AGAIN_S = 20, 0.1
_SESSION = Path("/proc/self/autogroup")


def go_last() -> None:
    """This process and its children leave the processor to others, where there is not enough for
    all: whoever answers clients must not wait for a job."""
    os.nice(NICENESS)


def let_session_go_last() -> None:
    """The same for the session that this process began: Linux may weigh sessions as wholes."""
    for _ in range(TRIES):
        try:
            _SESSION.write_text(str(NICENESS))
        except BlockingIOError:
            time.sleep(TRY_AGAIN_S)  # such a wish is heard ten times in a second at most
        except OSError:
            return  # sessions are not weighed here
        else:
            return


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
