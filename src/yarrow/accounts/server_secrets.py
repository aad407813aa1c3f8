"""The server's secrets: configured, or generated once and stored in the data dir."""

import os
import secrets
from pathlib import Path

from yarrow.errors import Misconfigured
from yarrow.settings import Settings

MIN_BYTES = 32
SIGNING_FILE = "jwt_secret"
ENCRYPTION_FILE = "secrets_key"


def read_signing_secret(settings: Settings) -> bytes:
    """The secret of tokens and signed URLs: configured, else that of the data dir."""
    if settings.jwt_secret is not None:
        secret = settings.jwt_secret.get_secret_value().encode()
        return require_length(secret, "YARROW_JWT_SECRET")
    return _read_or_create(settings.data_dir / SIGNING_FILE)


def read_encryption_secret(settings: Settings) -> bytes:
    """The secret of stored credentials: configured, else that of the data dir."""
    if settings.secrets_key is not None:
        secret = settings.secrets_key.get_secret_value().encode()
        return require_length(secret, "YARROW_SECRETS_KEY")
    return _read_or_create(settings.data_dir / ENCRYPTION_FILE)


def _read_or_create(path: Path) -> bytes:
    if not path.exists():
        _create_secret_file(path)
    return require_length(path.read_bytes().strip(), str(path))


def _create_secret_file(path: Path) -> None:
    """Write a temporary file and link it: a process that starts meanwhile never reads half."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
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
