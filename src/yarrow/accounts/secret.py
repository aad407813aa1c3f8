"""The server's secret: configured, or generated once and stored in the data dir."""

import os
import secrets
from pathlib import Path

from yarrow.errors import Misconfigured
from yarrow.settings import Settings

MIN_BYTES = 32
FILE_NAME = "jwt_secret"


def signing_secret(settings: Settings) -> bytes:
    """The configured secret, else the one in the data dir, which is created if missing."""
    if settings.jwt_secret is not None:
        secret = settings.jwt_secret.get_secret_value().encode()
        return require_length(secret, "YARROW_JWT_SECRET")
    path = settings.data_dir / FILE_NAME
    if not path.exists():
        _create(path)
    return require_length(path.read_bytes().strip(), str(path))


def _create(path: Path) -> None:
    """Write a temporary file and link it: a process that starts meanwhile never reads half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{FILE_NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(MIN_BYTES))
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink()


def require_length(secret: bytes, where: str) -> bytes:
    if len(secret) < MIN_BYTES:
        raise Misconfigured(f"the secret in {where} must have at least {MIN_BYTES} bytes")
    return secret
