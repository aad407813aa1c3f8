"""Landlock: what a process can still open; each case is a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from yarrow.isolation import landlock

pytestmark = pytest.mark.skipif(not landlock.is_available(), reason="the kernel has no Landlock")

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
    "from yarrow.rendering.isolate import isolate\n"
    "from yarrow.rendering.protocol import RenderIsolation\n"
    "isolate(RenderIsolation.LANDLOCK, lambda: None)\n"
)
CONFINE = {
    "files": (
        "from pathlib import Path\n"
        "from yarrow.isolation.landlock import restrict_files\n"
        "restrict_files(readable=[Path('own')], writable=[Path('out')])\n"
    ),
    "a job without namespaces": (
        "from pathlib import Path\n"
        "from yarrow.sandbox.jail import enter_plain\n"
        "from yarrow.sandbox.protocol import JobFiles, StartJob\n"
        "enter_plain(StartJob(1, 4096, 60, 1), JobFiles({'a': 'own'}, {'b': 'out'}),\n"
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


def run(program: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.split()
