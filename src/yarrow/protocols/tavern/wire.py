"""What the bodies of all resources share."""

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from yarrow.errors import InvalidInput

TITLE_CHARS = 500
BATCH_MAX = 100

AS_TEXT = Field(strict=False)
"""For enums: JSON has them as text, which strict mode would refuse."""


class StrictBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())


BatchIds = Annotated[list[str], Field(min_length=1, max_length=BATCH_MAX)]

Item = TypeVar("Item")
Parsed = TypeVar("Parsed")


def parse_items(parse: Callable[[Item], Parsed], items: Sequence[Item]) -> list[Parsed]:
    """Parse the `items` of a batch; a refusal names the place of its item."""
    parsed = []
    for index, item in enumerate(items):
        try:
            parsed.append(parse(item))
        except InvalidInput as invalid:
            place = f"items.{index}"
            invalid.field = place if invalid.field is None else f"{place}.{invalid.field}"
            raise
    return parsed
