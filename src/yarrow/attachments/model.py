"""Values of attachments."""

from enum import StrEnum

from msgspec import Struct

from yarrow.ids import AccountId, AttachmentId

BUCKET = "agent-inputs"
"""The bucket in the API; the name of a bucket in S3 is independent of it."""


class ImageType(StrEnum):
    """The supported image types."""

    PNG = "image/png"
    JPEG = "image/jpeg"
    GIF = "image/gif"
    WEBP = "image/webp"
    BMP = "image/bmp"
    AVIF = "image/avif"
    HEIC = "image/heic"

    @property
    def extension(self) -> str:
        return "jpg" if self is ImageType.JPEG else self.name.lower()


class Attachment(Struct, frozen=True):
    """An uploaded image."""

    id: AttachmentId
    account_id: AccountId
    path: str
    """`agent-inputs/{account}/{file}`: unique, and the key in the store."""
    mime_type: ImageType
