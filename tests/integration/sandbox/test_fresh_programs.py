"""Every Python program runs in a process of its own: nothing of it reaches the next one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.integration.sandbox.conftest import LIMITS, Box, make_table, wait_for_jobs

from yarrow.sandbox.messages import JobKind
from yarrow.sandbox.model import PythonResult
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

TOTAL = """
import pandas as pd
df = pd.read_parquet("data/sales.parquet")[["amount"]].sum().to_frame("n")
"""

POISONS = {
    "a name": "sum = total = pd = None",
    "a method of pandas": "pd.DataFrame.sum = lambda self: 5",
    "a function of pandas": "pd.read_parquet = lambda path: pd.DataFrame({'amount': [1]})",
    "a function found by its name": "setattr(pd.DataFrame, 's' + 'um', pd.DataFrame.max)",
    "an internal table": "pd.DataFrame({'a': [1]}).agg('_AXIS_TO_' + 'AXIS_NUMBER')['index'] = 1",
    "a builtin": "import builtins\nbuiltins.max = builtins.sum = builtins.open = None",
    "NumPy": "np.add.reduce = None\nnp.sum = None",
    "the module list": "import sys\nsys.modules['pandas'] = None",
    "a file": "open('data/note.parquet', 'w').write('x')\nopen('pandas.py', 'w').write('1/0')",
    "memory": "import ctypes\nctypes.c_char.from_address(id(pd.DataFrame.sum) + 16).value = b'x'",
    "a thread": "import threading, time\nthreading.Thread(target=time.sleep, args=[60]).start()",
    "the alarm": "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)",
}


@pytest.fixture
async def own(python_box: Box, tmp_path: Path) -> AsyncIterator[tuple[Sandbox, dict[str, Path]]]:
    """A sandbox without any job yet."""
    async with Sandbox(Settings(data_dir=tmp_path)) as sandbox:
        table = await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")
        yield sandbox, {"sales": table}


def take_rows(result: PythonResult) -> list[object]:
    assert result.output is not None, result.error
    result.output.path.unlink()
    return list(result.output.first.rows)


@pytest.mark.parametrize("name", POISONS)
async def test_what_a_program_changes_is_gone_with_it(name: str, python_box: Box) -> None:
    poisoned = await python_box.sandbox.run_python(POISONS[name], python_box.tables, LIMITS)
    assert poisoned.error is None

    after = await python_box.sandbox.run_python(
        TOTAL, python_box.tables, LIMITS, output_variable="df"
    )

    assert take_rows(after) == [{"n": 42}]


async def test_no_process_of_a_program_stays(own: tuple[Sandbox, dict[str, Path]]) -> None:
    sandbox, tables = own

    for _ in range(3):
        ran = await sandbox.run_python(TOTAL, tables, LIMITS, output_variable="df")
        assert take_rows(ran) == [{"n": 42}]

    await wait_for_jobs(sandbox, JobKind.PYTHON, 0)


@pytest.mark.parametrize("rows", [0, 1, 40_000, 200_000])
async def test_a_frame_comes_whole_whatever_its_size(rows: int, python_box: Box) -> None:
    """Small ones are sent from memory, large ones from a file."""
    code = f"df = pd.DataFrame({{'n': np.arange({rows}), 'x': np.arange({rows}) * 0.5}})"

    ran = await python_box.sandbox.run_python(code, {}, LIMITS, output_variable="df")

    assert ran.output is not None
    read = await python_box.sandbox.run_sql(
        "SELECT count(*) AS rows, coalesce(sum(n), 0) AS n, coalesce(sum(x), 0) AS x FROM made",
        {"made": ran.output.path},
        LIMITS,
    )
    total = rows * (rows - 1) // 2
    assert list(read.rows) == [{"rows": rows, "n": total, "x": total / 2}]


async def test_the_filter_of_system_calls_is_built_before_the_fork(python_box: Box) -> None:
    code = (
        "import sys\nseccomp = sys.modules['yarrow.isolation.seccomp']\n"
        "print(seccomp.build_filter.cache_info().misses)"
    )

    result = await python_box.sandbox.run_python(code, {}, LIMITS)

    assert (result.stdout, result.error) == ("1\n", None)
