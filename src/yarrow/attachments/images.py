"""Load images for a model."""

import base64
import logging

from yarrow.attachments.errors import AttachmentNotFound
from yarrow.attachments.paths import parse_type
from yarrow.attachments.storage import Storage
from yarrow.errors import StorageUnavailable

log = logging.getLogger("yarrow.attachments")

IMAGE_NOT_AVAILABLE = "IMAGE_NOT_AVAILABLE"
"""The code of warnings about images that a model does not get."""


async def load_image(storage: Storage, path: str) -> str | None:
    """The image as a `data:` URL; None if it was deleted or cannot be read now."""
    try:
        file = await storage.open(path)
        content = b"".join([chunk async for chunk in file.chunks])
    except (AttachmentNotFound, StorageUnavailable) as error:
        log.warning("attachment.not_loaded", extra={"error": type(error).__name__})
        return None
    return f"data:{parse_type(path)};base64,{base64.b64encode(content).decode()}"
