"""What an e-mail address and a password must be."""

import re

from yarrow.errors import InvalidInput

EMAIL_MAX_CHARS = 254
PASSWORD_MIN_CHARS = 8
PASSWORD_MAX_CHARS = 128
_EMAIL = re.compile(r"[^@\s\x00-\x20\x7f]{1,64}@(?:[^@\s.]{1,63}\.)+[^@\s.]{2,63}")


def clean_email(email: str) -> str:
    """Strip and validate an e-mail address."""
    email = email.strip()
    if len(email) > EMAIL_MAX_CHARS or not _EMAIL.fullmatch(email) or not email.isprintable():
        raise InvalidInput("email must be an e-mail address", field="email")
    return email


def require_password(password: str) -> None:
    if not PASSWORD_MIN_CHARS <= len(password) <= PASSWORD_MAX_CHARS:
        raise InvalidInput(
            f"password must have {PASSWORD_MIN_CHARS} to {PASSWORD_MAX_CHARS} characters",
            field="password",
        )
