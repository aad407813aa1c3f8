"""Bodies of the routes of floors and messages."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from yarrow.protocols.tavern.prompts.wire import Text
from yarrow.protocols.tavern.wire import BATCH_MAX, StrictBody


class ForkBody(StrictBody):
    """The new branch's name; generated if left out."""

    branch_id: str | None = None


class ResetBody(StrictBody):
    """The floor that a branch is to end with, and the one that it ends with now."""

    target_floor_id: str
    expected_head_floor_id: str


class ChangeMessageBody(StrictBody):
    """Either another text, or whether the message is kept out of prompts.

    `expected_content` is the text that the other one is meant to replace.
    """

    is_hidden: bool | None = None
    content: Text | None = None
    expected_content: str | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.is_hidden is None) == (self.content is None):
            raise ValueError("give either is_hidden or content")
        if self.content is None and self.expected_content is not None:
            raise ValueError("expected_content belongs to content")
        return self


class BatchHideBody(StrictBody):
    ids: Annotated[list[str], Field(min_length=1, max_length=BATCH_MAX)]
    is_hidden: bool
