"""What this server can do with prompts and stories, for a client that asks before it offers."""

from typing import get_args

from yarrow.assets.model import AssetKind
from yarrow.kit.json import JsonObject
from yarrow.prompting.formats.chats import LINES_MAX, SWIPES_MAX
from yarrow.prompting.model import PromptMode
from yarrow.protocols.tavern.chats.routes import FILE_BYTES
from yarrow.protocols.tavern.policies.wire import PolicyBody, Structure
from yarrow.stories.model import DEFAULT_MODE, SyncPolicy
from yarrow.variables.model import (
    KEY_CHARS,
    NARROWEST_FIRST,
    SCOPE_MAX,
    VALUE_BYTES,
)


def capabilities() -> JsonObject:
    """Names of what can be chosen, and the limits."""
    structures = get_args(get_args(Structure.model_fields["mode"].annotation)[0])
    return {
        "prompt_modes": list(PromptMode),
        "default_prompt_mode": DEFAULT_MODE,
        "structure_modes": list(structures),
        "policy_sections": list(PolicyBody.model_fields),
        "policy_layers": ["default", "preset", "session", "request"],
        "asset_kinds": list(AssetKind),
        "character_sync_policies": list(SyncPolicy),
        "variable_scopes": list(NARROWEST_FIRST),
        "limits": {
            "variable_key_characters": KEY_CHARS,
            "variable_value_bytes": VALUE_BYTES,
            "variables_per_scope": SCOPE_MAX,
            "chat_file_bytes": FILE_BYTES,
            "chat_lines": LINES_MAX,
            "chat_swipes_per_line": SWIPES_MAX,
        },
    }
