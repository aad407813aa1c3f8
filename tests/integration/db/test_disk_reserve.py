"""The reserve on a real file system that is full. Mounting one needs the right to do so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.fault_bed import Untried
from benchmarks.fault_disk import fill_disk, mount_small_disk

from yarrow.db.embedded.disk_reserve import PLENTY_BYTES, RESERVE_BYTES, DiskReserve

MIB = 1024**2
ENOUGH_MB = (RESERVE_BYTES + PLENTY_BYTES) // MIB + 4


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    folder = tmp_path / "data"
    try:
        with mount_small_disk(folder, size_mb=getattr(request, "param", ENOUGH_MB)):
            yield folder
    except Untried as reason:
        pytest.skip(str(reason))


def test_a_full_disk_gets_the_room_of_the_reserve(disk: Path) -> None:
    reserve = DiskReserve(disk)
    reserve.check()
    assert [file.stat().st_blocks * 512 for file in disk.iterdir()] == [RESERVE_BYTES]

    with fill_disk(disk):
        reserve.check()
        (disk / "log").write_bytes(bytes(RESERVE_BYTES - MIB))
        reserve.check()
        assert {file.name for file in disk.iterdir()} == {"balloon", "log"}

    (disk / "log").unlink()
    reserve.check()
    assert [file.stat().st_size for file in disk.iterdir()] == [RESERVE_BYTES]


def test_a_disk_that_is_used_more_and_more_keeps_its_reserve(disk: Path) -> None:
    reserve = DiskReserve(disk)
    reserve.check()

    (disk / "file").write_bytes(bytes(PLENTY_BYTES // 2))
    reserve.check()

    assert {file.name for file in disk.iterdir()} == {"postgres.reserve", "file"}


@pytest.mark.parametrize("disk", [ENOUGH_MB - 8], indirect=True)
def test_nothing_is_reserved_on_a_small_disk(disk: Path) -> None:
    DiskReserve(disk).check()

    assert list(disk.iterdir()) == []


def test_an_unfinished_reserve_is_finished(disk: Path) -> None:
    (disk / "postgres.reserve").write_bytes(bytes(MIB))

    DiskReserve(disk).check()

    assert (disk / "postgres.reserve").stat().st_size == RESERVE_BYTES
