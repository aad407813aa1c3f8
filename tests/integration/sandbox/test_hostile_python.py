"""Programs that mean harm: each fails, and the sandbox goes on working."""

import socket
from pathlib import Path

import pytest
from tests.integration.sandbox.conftest import LIMITS, SHORT, TOO_LONG, Box
from tests.integration.sandbox.programs import ENDED, ENDLESS, REFUSED

from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

HONEST = """
import pandas as pd
total = pd.read_parquet("data/sales.parquet")[["amount"]].sum().to_frame()
"""


async def assert_works(box: Box) -> None:
    result = await box.sandbox.run_python(HONEST, box.tables, LIMITS, output_variable="total")
    assert result.error is None
    assert result.output is not None
    assert list(result.output.first.rows[0].values()) == [42]


@pytest.mark.parametrize("name", REFUSED)
async def test_what_is_out_of_bounds_fails_as_an_error_of_the_code(
    name: str, python_box: Box
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = REFUSED[name]
        for key, value in {
            "secret": python_box.secret,
            "others": python_box.others,
            "other_name": python_box.others.name,
            "port": listener.getsockname()[1],
        }.items():
            code = code.replace(f"{{{key}}}", str(value))
        result = await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    assert result.error is not None
    assert "longer than" not in result.error
    assert "private" not in result.stdout
    assert "root:" not in result.stdout
    assert str(python_box.sandbox.folder) not in result.error


@pytest.mark.parametrize("name", ENDLESS)
async def test_what_does_not_end_is_ended(name: str, python_box: Box) -> None:
    result = await python_box.sandbox.run_python(ENDLESS[name], python_box.tables, SHORT)

    assert TOO_LONG in (result.error or "")
    assert not result.alive
    await assert_works(python_box)


@pytest.mark.parametrize("name", ENDED)
async def test_what_ends_its_process_or_lies_is_ended_before_the_limit(
    name: str, python_box: Box
) -> None:
    result = await python_box.sandbox.run_python(ENDED[name], python_box.tables, LIMITS)

    assert "ended its process" in (result.error or "")
    assert not result.alive
    await assert_works(python_box)


async def test_the_sandbox_works_after_all_of_them(python_box: Box) -> None:
    for code in REFUSED.values():
        await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    await assert_works(python_box)


async def test_a_fork_bomb_makes_no_process(python_box: Box) -> None:
    bomb = "import os\nn = 0\nwhile n < 1000:\n  try: os.fork()\n  except OSError: n += 1\nprint(n)"

    result = await python_box.sandbox.run_python(bomb, python_box.tables, LIMITS)

    assert (result.stdout, result.error) == ("1000\n", None)


async def test_a_job_makes_a_limited_number_of_files(python_box: Box) -> None:
    code = (
        "import errno\nmade = 0\n"
        "try:\n  while made < 50_000: open(f'f{made}', 'w').close(); made += 1\n"
        "except OSError as e: print(errno.errorcode[e.errno], 10_000 < made < 20_000)"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    assert (result.stdout, result.error) == ("ENOSPC True\n", None)
    await assert_works(python_box)


async def test_a_job_sees_no_process_but_itself(python_box: Box) -> None:
    code = (
        "import os, signal\nprint(os.getpid(), os.getppid())\n"
        "for p in (0, 2, 3, 4, 5, 99):\n"
        "  if p:\n    try: os.kill(p, 0); print('saw', p)\n    except ProcessLookupError: pass"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    assert result.stdout == "1 0\n"


async def test_signals_to_everybody_reach_nobody_else(python_box: Box) -> None:
    code = "import os, signal\ntry: os.kill(-1, signal.SIGKILL)\nexcept OSError as e: print(e)"

    await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    await assert_works(python_box)


async def test_a_job_holds_one_descriptor_that_is_its_own(python_box: Box) -> None:
    code = (
        "import os\nopen_ones = []\n"
        "for fd in range(4096):\n"
        "  try: os.fstat(fd); open_ones.append(fd)\n  except OSError: pass\nprint(open_ones)"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    assert result.stdout == "[0, 1, 2, 3]\n"


async def test_the_environment_is_bare(
    python_box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YARROW_TEST_SECRET", "swordfish")
    code = "import os\nprint([k for k in os.environ if 'YARROW' in k or 'SECRET' in k])"

    async with Sandbox(Settings(data_dir=tmp_path)) as fresh:
        result = await fresh.run_python(code, {}, LIMITS)

    assert result.stdout == "[]\n"


async def test_a_job_has_no_capabilities_and_cannot_get_any(python_box: Box) -> None:
    code = (
        "import ctypes\nl = ctypes.CDLL(None)\nh = (ctypes.c_uint32 * 2)(0x20080522, 0)\n"
        "d = (ctypes.c_uint32 * 6)()\nl.capget(h, d)\nprint(list(d), l.prctl(39, 0, 0, 0, 0))"
    )

    result = await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    assert result.stdout == "[0, 0, 0, 0, 0, 0] 1\n"


async def test_one_job_does_not_see_what_another_wrote(python_box: Box) -> None:
    async with python_box.sandbox.python_session(python_box.tables, LIMITS) as session:
        await session.run("open('note', 'w').write('mine')")
        other = await python_box.sandbox.run_python("open('note')", python_box.tables, LIMITS)
        same = await session.run("print(open('note').read())")

    assert "FileNotFoundError" in (other.error or "")
    assert same.stdout == "mine\n"


async def test_a_gigabyte_of_output_is_cut(python_box: Box) -> None:
    code = "for _ in range(1024): print('x' * 1024 ** 2)"

    result = await python_box.sandbox.run_python(code, python_box.tables, LIMITS)

    assert result.error is None
    assert len(result.stdout) < LIMITS.stdout_chars + 100


async def test_a_crafted_pickle_stays_data(python_box: Box) -> None:
    """What comes back is text and Parquet: an object that would run code is shown as words."""
    code = (
        "import os, pandas as pd\n"
        "class Evil:\n"
        "  def __reduce__(self): return (os.system, ('touch /tmp/pwned',))\n"
        "  def __str__(self): return 'evil'\n"
        "df = pd.DataFrame({'x': [Evil(), 1]})"
    )

    result = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert result.output is not None
    assert result.output.first.rows == [{"x": "evil"}, {"x": "1"}]


async def test_a_huge_frame_is_refused(python_box: Box) -> None:
    code = "import numpy as np, pandas as pd\ndf = pd.DataFrame({'x': np.random.rand(40_000_000)})"

    result = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert result.error is not None
    assert result.output is None
    await assert_works(python_box)


SCAN = """
import ctypes, os
libc = ctypes.CDLL(None)
libc.sbrk.restype = ctypes.c_void_p
end, near, (out, into) = libc.sbrk(0), id(object()) & ~0xFFF, os.pipe()
pages = [*range(end - 2**27 & ~0xFFF, end, 4096), *range(near - 2**23, near + 2**23, 4096)]
found = 0
for page in pages:
    if libc.write(into, ctypes.c_void_p(page), ctypes.c_size_t(4096)) == 4096:
        found += b"yraid_sydobemos" in os.read(out, 4096)[::-1]
print(found)
"""
"""Look for a table's name in all memory, backwards so as not to find itself; what is not mapped
cannot be written to the pipe."""


async def test_a_jobs_memory_has_no_names_of_others_tables(python_box: Box) -> None:
    diary = {"somebodys_diary": python_box.others}
    for _ in range(3):
        await python_box.sandbox.run_python("1", diary, LIMITS)

    result = await python_box.sandbox.run_python(SCAN, python_box.tables, LIMITS)

    assert (result.stdout, result.error) == ("0\n", None)


FORGED = """
import json, os
made = {{"columns": [{{"name": {name}, "type": "string"}}], "values": [[1]] * {rows},
         "truncated": False, "row_count": {count}}}
said = {{"type": "PythonResponse", "stdout": "", "error": None, "frames": {frames}, "header": made,
        "output_bytes": 4}}
data = json.dumps(said).encode()
data = len(data).to_bytes(4, "big") + data + b"PAR1"
while data:
    data = data[os.write(3, data):]
os._exit(0)
"""


@pytest.mark.parametrize(
    ("name", "rows", "count"), [("'x' * 1_000_000", 1000, 1000), ("'x'", 1, 10**30)]
)
async def test_a_forged_answer_does_not_grow_in_the_server(
    name: str, rows: int, count: int, python_box: Box
) -> None:
    code = FORGED.format(name=name, rows=rows, count=count, frames=[])

    result = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert result.error is not None
    assert result.output is None


async def test_a_response_of_too_many_parts_is_not_decoded(python_box: Box, tmp_path: Path) -> None:
    code = "df = pd.DataFrame({{'n': range({rows})}})"
    async with Sandbox(Settings(data_dir=tmp_path), max_parts=10) as sandbox:
        few, many = [
            await sandbox.run_python(code.format(rows=rows), {}, LIMITS, output_variable="df")
            for rows in (1, 20)
        ]

    assert few.error is None
    assert "ended its process" in (many.error or "")


async def test_names_of_frames_are_few_and_short(python_box: Box) -> None:
    code = FORGED.format(name="'x'", rows=1, count=1, frames="['y' * 10_000] + ['z'] * 10_000")

    result = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert result.output is not None
    result.output.path.unlink()
    assert set(result.frames) == {"z"}
    assert len(result.frames) < 100
