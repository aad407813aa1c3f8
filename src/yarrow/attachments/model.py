"""The values of attachments: where they lie and what they are."""

from dataclasses import dataclass
from enum import StrEnum

from yarrow.ids import AccountId, AttachmentId

BUCKET = "agent-inputs"
"""The one bucket clients know; the store behind it may call its own as it likes."""

MAX_BYTES = 5 * 1024 * 1024


class ImageType(StrEnum):
    """The pictures we take, by media type."""

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


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture of an account's."""

    id: AttachmentId
    account_id: AccountId
    path: str
    """`agent-inputs/{account}/{file}`: unique, and the key in the store."""
    mime_type: ImageType
