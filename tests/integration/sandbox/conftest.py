"""One sandbox for the hostile programs, with a table of ours and one of somebody else."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from yarrow.sandbox.model import Limits
from yarrow.sandbox.sandbox import FileToRead, Sandbox
from yarrow.settings import Settings

SHORT = Limits(seconds=3.0, memory_mb=512)


@dataclass(frozen=True)
class Box:
    """A sandbox and the files that a job must, or must not, see."""

    sandbox: Sandbox
    ours: Path
    others: Path
    secret: Path

    @property
    def tables(self) -> dict[str, Path]:
        return {"sales": self.ours}


async def make_table(sandbox: Sandbox, name: str, text: str) -> Path:
    source = sandbox.spool_path(".csv")
    source.write_text(text)
    target = sandbox.folder / f"{name}.parquet"
    await sandbox.read_file(FileToRead(source, f"{name}.csv", name), target)
    return target


@pytest.fixture(scope="session")
async def box(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Box]:
    folder = tmp_path_factory.mktemp("box")
    secret = folder / "secret.txt"
    secret.write_text("the secret of the server")
    async with Sandbox(Settings(data_dir=folder, sandbox_memory_mb=512)) as sandbox:
        ours = await make_table(sandbox, "ours", "region,amount\nnorth,10\nsouth,32\n")
        others = await make_table(sandbox, "others", "word\nprivate\n")
        yield Box(sandbox, ours, others, secret)


@pytest.fixture
async def python_box(box: Box) -> Box:
    """A sandbox that can run Python; where the machine cannot isolate, there is none to test."""
    reason = await box.sandbox.why_no_python()
    if reason is not None:
        pytest.skip(f"this machine cannot isolate Python: {reason}")
    return box
