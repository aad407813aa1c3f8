"""From profiles to response bodies."""

from yarrow.accounts.model import AccountProfile
from yarrow.protocols.account.profile.wire import ProfileOut


def encode_profile(profile: AccountProfile) -> ProfileOut:
    return ProfileOut.model_validate(profile)
