"""Bodies of the routes of floors, pages and messages."""

from typing import Annotated

from pydantic import Field

from yarrow.protocols.tavern.router import BATCH_MAX
from yarrow.protocols.tavern.sessions.wire import Body


class ForkBody(Body):
    """The new branch's name; left out, one is made up."""

    branch_id: str | None = None


class HideBody(Body):
    is_hidden: bool


class BatchHideBody(Body):
    ids: Annotated[list[str], Field(min_length=1, max_length=BATCH_MAX)]
    is_hidden: bool
