"""What the bodies of all resources share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

TITLE_CHARS = 500
BATCH_MAX = 100

AS_TEXT = Field(strict=False)
"""For enums: JSON has them as text, which strict mode would refuse."""


class StrictBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, protected_namespaces=())


BatchIds = Annotated[list[str], Field(min_length=1, max_length=BATCH_MAX)]
