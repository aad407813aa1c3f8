"""What the fields of a profile may hold."""

import re

from msgspec.structs import replace

from yarrow.accounts.model import AccountProfile, ProfilePatch
from yarrow.accounts.preferences import require_settings
from yarrow.errors import InvalidInput
from yarrow.kit.patch import UNCHANGED

USERNAME_MAX_CHARS = 64
AVATAR_URL_MAX_CHARS = 2048
BIO_MAX_CHARS = 500
_WEB_URL = re.compile(r"https?://[^\s/?#@]+(?:[/?#]\S*)?", re.IGNORECASE)


def apply_patch(profile: AccountProfile, patch: ProfilePatch) -> AccountProfile:
    """The patched profile; `InvalidInput` for the first rule that the patch breaks."""
    if patch.username is not UNCHANGED:
        profile = replace(profile, username=_clean_username(patch.username))
    if patch.avatar_url is not UNCHANGED:
        _require_avatar_url(patch.avatar_url)
        profile = replace(profile, avatar_url=patch.avatar_url)
    if patch.bio is not UNCHANGED:
        _require_bio(patch.bio)
        profile = replace(profile, bio=patch.bio)
    require_settings(patch.settings)
    return replace(profile, settings=profile.settings | patch.settings)


def _clean_username(username: str) -> str:
    username = username.strip()
    if not username:
        raise InvalidInput("username must not be empty", field="username")
    if len(username) > USERNAME_MAX_CHARS:
        raise InvalidInput(
            f"username must have at most {USERNAME_MAX_CHARS} characters", field="username"
        )
    if not username.isprintable():
        raise InvalidInput("username must be printable", field="username")
    return username


def _require_avatar_url(url: str | None) -> None:
    if url is None:
        return
    if len(url) > AVATAR_URL_MAX_CHARS:
        raise InvalidInput(
            f"avatar_url must have at most {AVATAR_URL_MAX_CHARS} characters", field="avatar_url"
        )
    if not _WEB_URL.fullmatch(url):
        raise InvalidInput("avatar_url must be an http or https URL", field="avatar_url")


def _require_bio(bio: str | None) -> None:
    if bio is not None and len(bio) > BIO_MAX_CHARS:
        raise InvalidInput(f"bio must have at most {BIO_MAX_CHARS} characters", field="bio")
