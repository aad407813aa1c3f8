"""The body of a chat import."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonValue
from yarrow.protocols.tavern.sessions.wire import TITLE_CHARS, Body


class ImportChatBody(Body):
    """A chat file: its text, or its lines as values."""

    data: str | list[JsonValue]
    character_id: str | None = None
    title: Annotated[str, Field(max_length=TITLE_CHARS)] | None = None
