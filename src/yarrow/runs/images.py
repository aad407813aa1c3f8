"""Pictures of a message: noted with it, and loaded for a model that is to see them."""

import base64
import logging

from yarrow.attachments.errors import AttachmentNotFound
from yarrow.attachments.storage import Storage
from yarrow.errors import StorageUnavailable
from yarrow.runs.model import InputImage
from yarrow.sessions.model import Message

log = logging.getLogger("yarrow.runs")

IMAGE_NOT_AVAILABLE = "IMAGE_NOT_AVAILABLE"


def images_of(message: Message) -> tuple[InputImage, ...]:
    """The pictures a stored message shows."""
    return tuple(InputImage(image.path, image.mime_type) for image in message.details.images)


async def load_image(storage: Storage, image: InputImage) -> str | None:
    """The picture as a `data:` URL; None when it is gone or cannot be reached now."""
    try:
        file = await storage.open(image.path)
        content = b"".join([chunk async for chunk in file.chunks])
    except (AttachmentNotFound, StorageUnavailable) as missing:
        log.warning("run.image_missing", extra={"error": type(missing).__name__})
        return None
    return f"data:{image.mime_type};base64,{base64.b64encode(content).decode()}"
