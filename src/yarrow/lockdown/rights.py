"""Rights that a process gives up for ever before it reads what somebody else wrote."""

import os
import signal

from yarrow.lockdown import syscalls as sys_
from yarrow.lockdown.seccomp import forbid_system_calls


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
