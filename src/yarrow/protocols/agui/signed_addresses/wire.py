"""The response of the routes that sign an address."""

from pydantic import BaseModel


class SignedAddress(BaseModel):
    """An address that works without a token until `expiresAt`."""

    url: str
    expiresAt: str  # noqa: N815
