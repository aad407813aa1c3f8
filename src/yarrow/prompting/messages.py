"""What a prompt is made of."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Who a message for the model is from."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message as the model will get it."""

    role: Role
    content: str
