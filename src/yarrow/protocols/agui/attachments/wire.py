"""Responses of the attachment routes."""

from pydantic import BaseModel


class UploadedAttachment(BaseModel):
    """A picture that a message can show by its `url`."""

    bucket: str
    path: str
    mimeType: str  # noqa: N815
    url: str


class UploadResponse(BaseModel):
    attachment: UploadedAttachment


class SignedUrlResponse(BaseModel):
    """A fresh address of an attachment."""

    bucket: str
    path: str
    url: str
