"""What the fields of a profile may hold."""

from datetime import UTC, datetime
from uuid import UUID

import pytest

from yarrow.accounts.model import AccountProfile, ProfilePatch
from yarrow.accounts.profile_rules import apply_patch
from yarrow.errors import InvalidInput
from yarrow.ids import AccountId

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PROFILE = AccountProfile(
    AccountId(UUID(int=5)), "user_abc123", None, None, {"script": "hans"}, NOW, NOW
)


def test_patch_changes_only_what_it_names() -> None:
    after = apply_patch(PROFILE, ProfilePatch(bio="hi", settings={"timezone": "UTC"}))

    assert (after.username, after.bio) == ("user_abc123", "hi")
    assert after.settings == {"script": "hans", "timezone": "UTC"}


def test_patch_can_clear() -> None:
    filled = apply_patch(PROFILE, ProfilePatch(bio="hi", avatar_url="https://a.cn/x.png"))

    after = apply_patch(filled, ProfilePatch(bio=None, avatar_url=None))

    assert (after.bio, after.avatar_url) == (None, None)


@pytest.mark.parametrize(
    "patch",
    [
        ProfilePatch(username=" "),
        ProfilePatch(username="x" * 65),
        ProfilePatch(username="a\nb"),
        ProfilePatch(avatar_url="javascript:alert(1)"),
        ProfilePatch(avatar_url="ftp://a.cn/x"),
        ProfilePatch(avatar_url="https://user:pw@a.cn/x"),
        ProfilePatch(avatar_url="https://a.cn/" + "x" * 2048),
        ProfilePatch(bio="x" * 501),
    ],
)
def test_patch_that_breaks_a_rule_is_refused(patch: ProfilePatch) -> None:
    with pytest.raises(InvalidInput):
        apply_patch(PROFILE, patch)
