"""Bodies of signing up and in."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from yarrow.protocols.account.strict_request import StrictRequest


class CredentialsBody(StrictRequest):
    """The body of signup and login."""

    email: str
    password: Annotated[str, Field(repr=False)]


class UserOut(BaseModel):
    id: UUID
    email: str | None


class TokenOut(BaseModel):
    access_token: str
    token_type: Literal["bearer"]
    user: UserOut
