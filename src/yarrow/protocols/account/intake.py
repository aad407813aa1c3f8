"""From the wire to values."""

from yarrow.accounts.model import ProfilePatch
from yarrow.kit.patch import UNCHANGED
from yarrow.protocols.account.wire import ProfilePatchBody


def profile_patch(body: ProfilePatchBody) -> ProfilePatch:
    """A field that was not sent stays as it is; one sent as null is cleared."""
    sent = body.model_fields_set
    return ProfilePatch(
        username=body.username if "username" in sent else UNCHANGED,
        avatar_url=body.avatar_url if "avatar_url" in sent else UNCHANGED,
        bio=body.bio if "bio" in sent else UNCHANGED,
        settings=body.settings,
    )
