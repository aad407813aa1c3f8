"""`yarrow doctor` looks and leaves everything as it was."""

from pathlib import Path

import pytest
from tests.unit.cli.running import yarrow

from yarrow.attachments.open_storage import check_storage
from yarrow.errors import Misconfigured
from yarrow.settings import Settings


@pytest.mark.slow
def test_a_check_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    found = yarrow("doctor")

    assert "attachments are kept in the data dir" in found.stdout.decode()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_be_made_is_fine_and_not_made(tmp_path: Path) -> None:
    check_storage(Settings(data_dir=tmp_path / "a" / "b"))

    assert list(tmp_path.iterdir()) == []


def test_a_folder_inside_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "a").touch()

    with pytest.raises(Misconfigured, match="attachments cannot be kept in"):
        check_storage(Settings(data_dir=tmp_path / "a" / "b"))
