"""From request bodies to values."""

from yarrow.accounts.model import ProfilePatch
from yarrow.kit.patch import UNCHANGED
from yarrow.protocols.account.profile.wire import ProfilePatchBody


def parse_patch(body: ProfilePatchBody) -> ProfilePatch:
    """Fields that were not sent stay unchanged; null clears a field."""
    sent = body.model_fields_set
    return ProfilePatch(
        username=body.username if "username" in sent else UNCHANGED,
        avatar_url=body.avatar_url if "avatar_url" in sent else UNCHANGED,
        bio=body.bio if "bio" in sent else UNCHANGED,
        settings=body.settings,
    )
