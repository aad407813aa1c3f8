"""What a prompt was made of, small enough to keep with every answer."""

import hashlib
from collections.abc import Iterable

import msgspec

from yarrow.prompting.messages import PromptMessage


class AssetStamp(msgspec.Struct, frozen=True):
    """Which version of an asset a prompt used; all None where it used none."""

    id: str | None = None
    updated_at: int | None = None
    version: int | None = None


class AssetStamps(msgspec.Struct, frozen=True):
    """The assets of one prompt; times are milliseconds."""

    preset: AssetStamp = msgspec.field(default_factory=AssetStamp)
    worldbook: AssetStamp = msgspec.field(default_factory=AssetStamp)
    regex_profile: AssetStamp = msgspec.field(default_factory=AssetStamp)
    character: AssetStamp = msgspec.field(default_factory=AssetStamp)


class PromptSnapshot(msgspec.Struct, frozen=True):
    """The facts of a prompt that later readings compare.

    Rule names are the ones that were switched on, not the ones that matched.
    """

    assets: AssetStamps
    worldbook_activated_entry_uids: tuple[int, ...]
    regex_pre_rule_names: tuple[str, ...]
    regex_post_rule_names: tuple[str, ...]
    prompt_mode: str
    prompt_digest: str
    token_estimate: int


def prompt_digest(messages: Iterable[PromptMessage]) -> str:
    """SHA-256 over role, NUL, content and 0x01 of each message."""
    whole = "".join([f"{message.role}\x00{message.content}\x01" for message in messages])
    return f"sha256:{hashlib.sha256(whole.encode('utf-8', 'surrogatepass')).hexdigest()}"
