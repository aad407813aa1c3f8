"""Execute a program that the kernel kills when its parent dies, by SIGKILL too (Linux).

    python -I -S end_with_parent.py PARENT_PID PROGRAM [ARGUMENT…]

`ChildProcess` puts this in front of every command. A closed pipe ends a child only when it reads
the pipe next, which may be after loading a model; the signal set here survives `exec`.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent_pid: int, command: list[str]) -> None:
    """Replace this process by the command, or exit if the parent died before the request."""
    prctl = ctypes.CDLL(None).prctl
    prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent_pid:
        sys.exit(1)
    os.execvp(command[0], command)  # noqa: S606  # the command is ours


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
