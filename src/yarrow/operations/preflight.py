"""Refuse to start with settings that cannot work, before anything is made."""

import shutil
from pathlib import Path
from tempfile import TemporaryFile

from yarrow.accounts.server_secrets import require_length
from yarrow.attachments.open_storage import check_storage
from yarrow.db.embedded.disk_reserve import PLENTY_BYTES
from yarrow.errors import Misconfigured
from yarrow.llm.open_model import read_model_endpoint
from yarrow.settings import Settings, find_unknown_variables
from yarrow.speech.open_recogniser import read_recogniser_endpoint


def require_valid_settings(settings: Settings) -> None:
    """Raise `Misconfigured` for what `yarrow doctor` would report without calling anything."""
    require_known_variables()
    require_secrets(settings)
    require_disk(settings)
    read_model_endpoint(settings)
    read_recogniser_endpoint(settings)
    check_storage(settings)


def require_known_variables() -> None:
    """Raise for variables that look like a setting; others may be for another program."""
    misspelt = [
        f"{name} is no setting; did you mean {nearest}?"
        for name, nearest in find_unknown_variables().items()
        if nearest is not None
    ]
    if misspelt:
        raise Misconfigured(" ".join(misspelt))


def require_secrets(settings: Settings) -> None:
    for secret, name in (
        (settings.jwt_secret, "YARROW_JWT_SECRET"),
        (settings.secrets_key, "YARROW_SECRETS_KEY"),
    ):
        if secret is not None:
            require_length(secret.get_secret_value().encode(), name)


def require_disk(settings: Settings) -> None:
    """Raise where the data dir cannot be written; its own file system may then say 0 bytes left."""
    folder = _find_existing(settings.data_dir)
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Misconfigured(
            f"nothing can be written in {folder} ({error.strerror}): choose another folder with "
            "--data-dir or YARROW_DATA_DIR, or let this user write there"
        ) from None
    if (free := measure_free_bytes(settings.data_dir)) < PLENTY_BYTES:
        megabytes = free // 1024**2
        raise Misconfigured(
            f"only {megabytes} MB are left on the disk of {settings.data_dir}; "
            f"free {PLENTY_BYTES // 1024**2} MB or choose another folder with --data-dir"
        )


def measure_free_bytes(folder: Path) -> int:
    """The space left where the folder is, or will be."""
    return shutil.disk_usage(_find_existing(folder)).free


def _find_existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())
