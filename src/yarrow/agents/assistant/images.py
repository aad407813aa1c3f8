"""Load the images of this turn and of the latest turns before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yarrow.attachments.images import IMAGE_NOT_AVAILABLE
from yarrow.llm.model import ImagePart
from yarrow.runs.agent import RunContext
from yarrow.runs.events import Warned
from yarrow.runs.model import InputImage
from yarrow.sessions.model import Message, MessageImage

RECENT_IMAGES = 4
"""How many images of earlier turns are sent, the newest ones."""

IMAGE_MISSING = Warned(
    IMAGE_NOT_AVAILABLE, "An image could not be loaded; the answer does without it."
)


@dataclass(frozen=True, slots=True)
class LoadedImages:
    """Images by path, and whether one of this turn could not be loaded."""

    parts: Mapping[str, ImagePart]
    some_missing: bool

    def of(self, images: Sequence[InputImage | MessageImage]) -> tuple[ImagePart, ...]:
        return tuple(self.parts[image.path] for image in images if image.path in self.parts)


async def load_images(context: RunContext) -> LoadedImages:
    """The images of this turn, and the newest of earlier turns."""
    current = [image.path for image in context.run.input.images]
    recent = [image.path for image in recent_images(context.history)]
    parts: dict[str, ImagePart] = {}
    for path in (*current, *recent):
        if path not in parts and (url := await context.load_image(path)) is not None:
            parts[path] = ImagePart(url)
    return LoadedImages(parts, some_missing=any(path not in parts for path in current))


def recent_images(history: Sequence[Message]) -> list[MessageImage]:
    """The newest images of earlier turns."""
    images = [image for message in history for image in message.details.images]
    return images[-RECENT_IMAGES:]
