"""Settings that cannot work are refused with what to do about them."""

from pathlib import Path

import pytest

from yarrow.errors import Misconfigured
from yarrow.operations.preflight import require_disk
from yarrow.settings import Settings


def test_folder_that_cannot_be_written_is_not_called_a_full_disk() -> None:
    # Nobody, not even root, makes files in /proc, and its file system has no space to tell of.
    with pytest.raises(Misconfigured, match=r"nothing can be written in /proc .*--data-dir"):
        require_disk(Settings(data_dir=Path("/proc/yarrow")))
