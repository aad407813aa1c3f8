"""The body of a chat import."""

from typing import Annotated

from pydantic import Field

from yarrow.kit.json import JsonValue
from yarrow.protocols.tavern.wire import TITLE_CHARS, StrictBody

FILE_BYTES = 20 * 1024 * 1024


class ImportChatBody(StrictBody):
    """A chat file: its text, or its lines as JSON values."""

    data: str | list[JsonValue]
    character_id: str | None = None
    title: Annotated[str, Field(max_length=TITLE_CHARS)] | None = None
