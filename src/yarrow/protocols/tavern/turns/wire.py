"""Bodies of the routes of floors and messages."""

from typing import Annotated

from pydantic import Field

from yarrow.protocols.tavern.wire import BATCH_MAX, StrictBody


class ForkBody(StrictBody):
    """The new branch's name; generated if left out."""

    branch_id: str | None = None


class ResetBody(StrictBody):
    """The floor that a branch is to end with, and the one that it ends with now."""

    target_floor_id: str
    expected_head_floor_id: str


class HideBody(StrictBody):
    is_hidden: bool


class BatchHideBody(StrictBody):
    ids: Annotated[list[str], Field(min_length=1, max_length=BATCH_MAX)]
    is_hidden: bool
