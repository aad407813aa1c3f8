"""Responses of the attachment routes."""

from pydantic import BaseModel


class UploadedAttachment(BaseModel):
    """A stored picture; messages refer to it by `url`."""

    bucket: str
    path: str
    mimeType: str  # noqa: N815
    url: str


class UploadResponse(BaseModel):
    attachment: UploadedAttachment


class SignedUrlResponse(BaseModel):
    """A fresh URL of an attachment."""

    bucket: str
    path: str
    url: str
