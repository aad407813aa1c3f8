"""The settings are the limits of jobs that ask for none of their own."""

from pathlib import Path

import pytest

from yarrow.sandbox.model import JobLimits
from yarrow.sandbox.sandbox import Sandbox
from yarrow.settings import Settings

ASKED = "SELECT current_setting('max_execution_time') AS ms"


@pytest.mark.parametrize(
    ("setting", "limits", "seconds"),
    [(30.0, None, 300), (24.0, JobLimits(rows=1), 240), (24.0, JobLimits(clock_seconds=3), 3)],
)
async def test_a_query_may_take_ten_times_the_setting_by_the_clock(
    setting: float, limits: JobLimits | None, seconds: int, tmp_path: Path
) -> None:
    async with Sandbox(Settings(data_dir=tmp_path, sandbox_timeout_s=setting)) as sandbox:
        (row,) = (await sandbox.run_sql(ASKED, {}, limits)).rows

    assert int(str(row["ms"])) == seconds * 1000
