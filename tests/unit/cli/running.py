"""The command line as a process of its own, and the castings that it is held against."""

import subprocess
import sys
from typing import Any

from tests.unit.liuyao.oracle import load

CASTINGS: list[dict[str, Any]] = load("castings")
SEED_TIME = "2026-04-03T20:30:00+08:00"
SEED_CAST = ("--lines", "少阳,少阴,老阳,少阴,少阳,老阴", "--time", SEED_TIME)

_COMMAND = (sys.executable, "-W", "error", "-c", "from yarrow.cli import main; main()")


def yarrow(*args: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*_COMMAND, *args], input=given, capture_output=True, check=False)


def start_yarrow(*args: str) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*_COMMAND, *args], stdin=pipe, stdout=pipe, stderr=pipe)


def casting_of(row: dict[str, Any]) -> Any:
    """A line of a batch, for a row of the oracle."""
    expected = row["expect"]
    return row["input"] | {
        "question": expected["question"],
        "divinationMethod": expected["divinationMethod"],
    }


def options_of(row: dict[str, Any]) -> list[str]:
    """The options of `yarrow derive` that cast a row of the oracle."""
    given = casting_of(row)
    return [
        *("--lines", ",".join(given["yaoLines"]), "--time", given["divinationTimeIso"]),
        *("--question", given["question"], "--type", given["questionType"]),
        *("--method", given["divinationMethod"], "--day-boundary", given["dayBoundary"]),
    ]
