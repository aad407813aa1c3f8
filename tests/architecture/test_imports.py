"""The server stays small: what only jobs need is imported only by jobs."""

import subprocess
import sys

import pytest

HEAVY = ("duckdb", "pandas", "numpy", "pyarrow", "altair", "vl_convert", "python_calamine")


@pytest.mark.slow
def test_the_server_imports_no_data_libraries() -> None:
    code = f"import sys, yarrow.app; print([m for m in {HEAVY!r} if m in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
