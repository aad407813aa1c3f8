"""Where the secrets come from."""

import stat
from pathlib import Path

import pytest

from yarrow.accounts.server_secrets import read_encryption_secret, read_signing_secret
from yarrow.errors import Misconfigured
from yarrow.settings import Settings


def test_configured_secret_is_used(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, jwt_secret="x" * 32)

    assert read_signing_secret(settings) == b"x" * 32
    assert list(tmp_path.iterdir()) == []


def test_short_secret_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="at least 32 bytes"):
        read_signing_secret(Settings(data_dir=tmp_path, jwt_secret="x" * 31))


def test_secret_is_made_once_and_kept_private(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "new")

    first = read_signing_secret(settings)

    assert read_signing_secret(settings) == first
    (kept,) = (tmp_path / "new").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_damaged_secret_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "jwt_secret").write_text("short")

    with pytest.raises(Misconfigured):
        read_signing_secret(Settings(data_dir=tmp_path))


def test_encryption_secret_is_another_one_and_is_kept(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)

    first = read_encryption_secret(settings)

    assert read_encryption_secret(settings) == first != read_signing_secret(settings)
    assert read_encryption_secret(Settings(secrets_key="k" * 32)) == b"k" * 32
    with pytest.raises(Misconfigured, match="YARROW_SECRETS_KEY"):
        read_encryption_secret(Settings(secrets_key="short"))
