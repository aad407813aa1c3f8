"""Load the images of this turn and of the latest turns before it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yarrow.llm.model import ImagePart
from yarrow.runs.agent import RunContext
from yarrow.runs.events import Warned
from yarrow.runs.images import IMAGE_NOT_AVAILABLE, images_of
from yarrow.runs.model import InputImage
from yarrow.sessions.model import Message

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

    def of(self, images: Sequence[InputImage]) -> tuple[ImagePart, ...]:
        return tuple(self.parts[image.path] for image in images if image.path in self.parts)


async def load_images(context: RunContext) -> LoadedImages:
    """The images of this turn, and the newest of earlier turns."""
    current = context.run.input.images
    parts: dict[str, ImagePart] = {}
    for image in (*current, *recent_images(context.history)):
        if image.path not in parts and (url := await context.load_image(image)) is not None:
            parts[image.path] = ImagePart(url)
    return LoadedImages(parts, some_missing=any(image.path not in parts for image in current))


def recent_images(history: Sequence[Message]) -> list[InputImage]:
    """The newest images of earlier turns."""
    images = [image for message in history for image in images_of(message)]
    return images[-RECENT_IMAGES:]
