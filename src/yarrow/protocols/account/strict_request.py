"""The base of request bodies: no unknown fields, no conversions."""

from pydantic import BaseModel, ConfigDict


class StrictRequest(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
