"""`yarrow derive --batch FILE` as it is mostly called, without click.

For a thousand castings importing click and typing_extensions takes half of the time.
"""

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import BinaryIO

_DAY_BOUNDARY = "23:00"


def run_plain_batch(arguments: Sequence[str]) -> int | None:
    """Derive the castings of the only argument, a file or `-`, and return the exit code.

    None if there are other arguments or no such file: click reads and refuses those.
    """
    if len(arguments) != 1:
        return None
    path = arguments[0]
    try:
        # Without pathlib, whose import takes as long as twenty castings.
        castings = sys.stdin.buffer if path == "-" else open(path, "rb")  # noqa: PTH123, SIM115
    except OSError:
        return None
    with castings:
        return _derive_castings(castings)


def _derive_castings(castings: BinaryIO) -> int:
    # A casting leaves no cycles, and what is cached is needed to the end.
    gc.disable()
    batch = _import_batch()
    try:
        invalid: int = batch.write_results(castings, sys.stdout.buffer, day_boundary=_DAY_BOUNDARY)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nobody reads on; the interpreter's own flush at exit would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("Aborted!\n")
        return 1
    if invalid:
        sys.stderr.write(batch.describe_invalid(invalid) + "\n")
    # The interpreter's last collection need not look at the caches.
    gc.freeze()
    return int(invalid > 0)


def _import_batch() -> ModuleType:
    with _hide_module("typing_extensions"):
        import_module("msgspec")
    return import_module("yarrow.cli.batch")


@contextmanager
def _hide_module(name: str) -> Iterator[None]:
    """Let imports of `name` fail: msgspec then takes what it needs from `typing`."""
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
