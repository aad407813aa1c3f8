"""What a prompt is made of."""

from enum import StrEnum

import msgspec


class Role(StrEnum):
    """Who a message for the model is from."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class PromptMessage(msgspec.Struct, frozen=True, gc=False):
    """One message as the model will get it."""

    role: Role
    content: str
