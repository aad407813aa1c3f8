"""Landlock: what a process can still open; each case is a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from yarrow.isolation import landlock
from yarrow.isolation.seccomp import is_supported

NOBODY = 65534

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not landlock.is_available(), reason="the kernel has no Landlock"),
]

TRY = """
def can_open(path, mode):
    try:
        open(path, mode).close()
    except PermissionError:
        return False
    return True
print(can_open("own", "rb"), can_open("own", "ab"), can_open("other", "rb"),
      can_open("new", "wb"), can_open("out", "wb"), can_open("/proc/self/environ", "rb"),
      can_open("/dev/null", "wb"))
"""

RENDERER = (
    "from yarrow.rendering.isolate import isolate_renderer\n"
    "from yarrow.rendering.messages import RenderIsolation\n"
    "isolate_renderer(RenderIsolation.LANDLOCK, lambda: None)\n"
)
CONFINE = {
    "files": (
        "from pathlib import Path\n"
        "from yarrow.isolation.landlock import restrict_files\n"
        "restrict_files(readable=[Path('own')], writable=[Path('out')])\n"
    ),
    "a job without namespaces": (
        "from pathlib import Path\n"
        "from yarrow.sandbox.jail import enter_landlock\n"
        "from yarrow.sandbox.messages import JobFiles, StartJob\n"
        "enter_landlock(StartJob(1, 4096, 60, 1, 1), JobFiles({'a': 'own'}, {'b': 'out'}),\n"
        "            folder=Path.cwd(), mapped_bytes=1 << 32)\n"
    ),
}


@pytest.mark.parametrize("confine", CONFINE.values(), ids=CONFINE.keys())
def test_a_confined_process_opens_its_own_files_and_no_other(confine: str, tmp_path: Path) -> None:
    for name in ("own", "other", "out"):
        (tmp_path / name).write_text(name)

    opened = run(confine + TRY, tmp_path)

    assert opened == ["True", "False", "False", "False", "True", "False", "True"]


def test_a_renderer_without_namespaces_opens_no_file_of_the_server(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("key")
    read = "try:\n    open('secret')\nexcept PermissionError:\n    print('refused')\n"

    assert run(RENDERER + read, tmp_path) == ["refused"]


WITHOUT_NAMESPACES = {
    "job": CONFINE["a job without namespaces"],
    "renderer": RENDERER,
}
READ_CAPABILITIES = """
import ctypes
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
ctypes.CDLL(None).capget(header, sets)
print(*sets)
"""


@pytest.mark.parametrize("confine", WITHOUT_NAMESPACES.values(), ids=WITHOUT_NAMESPACES.keys())
def test_a_child_without_namespaces_has_no_capability(confine: str, tmp_path: Path) -> None:
    if set(run(READ_CAPABILITIES, tmp_path)) == {"0"}:
        pytest.skip("this process has none to drop")

    assert run(confine + READ_CAPABILITIES, tmp_path) == ["0"] * 6


SIGNAL_SELF = """
signal.signal(signal.SIGUSR1, lambda *_: print("own"))
os.kill(os.getpid(), signal.SIGUSR1)
signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
"""
REACH_OTHERS = """
def set_pipe_owner():
    read, write = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, os.getppid())
def send_by_thread():
    if ctypes.CDLL(None, use_errno=True).syscall(TKILL, os.getppid(), 0):
        raise OSError(ctypes.get_errno(), "tkill")
for act in (
    lambda: os.kill(os.getppid(), 0),
    lambda: os.kill(0, 0),
    lambda: os.kill(-1, 0),
    send_by_thread,
    set_pipe_owner,
    lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0)),
    lambda: os.setpriority(os.PRIO_PROCESS, os.getppid(), 19),
    lambda: os.sched_setaffinity(os.getppid(), os.sched_getaffinity(0)),
):
    try:
        act()
    except PermissionError:
        print("refused")
    else:
        print("done")
""".replace("TKILL", {"x86_64": "200", "aarch64": "130"}.get(os.uname().machine, "-1"))
ACTS = 8
HERE = ("folder=Path.cwd()", "folder=Path('/')")
"""An ordinary user cannot enter the folder of the test."""
filtered = pytest.mark.skipif(not is_supported(), reason="there is no filter for this processor")


IMPORTS = """
import ctypes, fcntl, os, resource, signal, sys, threading
import yarrow.rendering.isolate, yarrow.sandbox.jail
"""
FORK = """
if child := os.fork():
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.fixture(params=[0, NOBODY], ids=["root", "ordinary user"])
def prelude(request: pytest.FixtureRequest) -> str:
    """Become the user, and be a child of a process of the same user in a group of their own.

    Modules are imported before: an ordinary user may not be able to read them.
    """
    if os.geteuid() == 0:
        user = request.param
        become = f"os.setgroups([]); os.setresgid(*[{user}] * 3); os.setresuid(*[{user}] * 3)"
        return IMPORTS + become + FORK
    if request.param == 0:
        pytest.skip("the tests run as an ordinary user")
    return IMPORTS + FORK


@filtered
@pytest.mark.parametrize("confine", WITHOUT_NAMESPACES.values(), ids=WITHOUT_NAMESPACES.keys())
def test_a_child_without_namespaces_reaches_itself_only(
    confine: str, prelude: str, tmp_path: Path
) -> None:
    answers = run(prelude + confine.replace(*HERE) + SIGNAL_SELF + REACH_OTHERS, tmp_path)

    assert answers == ["own"] * 2 + ["refused"] * ACTS


@filtered
def test_without_the_filter_processes_of_one_user_reach_each_other(
    prelude: str, tmp_path: Path
) -> None:
    assert run(prelude + SIGNAL_SELF + REACH_OTHERS, tmp_path) == ["own"] * 2 + ["done"] * ACTS


def run(program: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        start_new_session=True,
    )
    return done.stdout.split()
