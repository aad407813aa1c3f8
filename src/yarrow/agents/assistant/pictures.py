"""What the assistant's model gets to see: pictures of this turn and of the latest ones."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace

from yarrow.agents.reply import Reply
from yarrow.llm.errors import ModelRefused
from yarrow.llm.model import ChatModel, ChatRequest, ImagePart
from yarrow.runs.agent import RunContext
from yarrow.runs.events import RunEvent, Warned
from yarrow.runs.images import IMAGE_NOT_AVAILABLE, images_of
from yarrow.runs.model import InputImage
from yarrow.sessions.model import Message

RECENT_IMAGES = 4
"""How many pictures of earlier turns are sent along, the newest."""

GONE = Warned(IMAGE_NOT_AVAILABLE, "An image could not be loaded; the answer does without it.")
UNSEEN = Warned(
    IMAGE_NOT_AVAILABLE, "The model does not take these images; the answer does without them."
)

UNREADABLE = frozenset({400, 404, 413, 415, 422})
"""Statuses with which endpoints turn down pictures; the others are about keys and quotas."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Loaded pictures by path, and whether one of this turn could not be had."""

    parts: Mapping[str, ImagePart]
    some_missing: bool

    def of(self, images: Sequence[InputImage]) -> tuple[ImagePart, ...]:
        return tuple(self.parts[image.path] for image in images if image.path in self.parts)


async def load_pictures(context: RunContext) -> Pictures:
    """The pictures the user sent now, and the newest of those before."""
    now = context.run.input.images
    parts: dict[str, ImagePart] = {}
    for image in (*now, *recent_images(context.history)):
        if image.path not in parts and (url := await context.load_image(image)) is not None:
            parts[image.path] = ImagePart(url)
    return Pictures(parts, some_missing=any(image.path not in parts for image in now))


def recent_images(history: Sequence[Message]) -> list[InputImage]:
    """The newest pictures of earlier turns."""
    shown = [image for message in history for image in images_of(message)]
    return shown[-RECENT_IMAGES:]


class Sight:
    """Asks with pictures until the model refuses them, and without them from then on."""

    def __init__(self) -> None:
        self._blind = False

    async def listen(
        self, reply: Reply, model: ChatModel, request: ChatRequest
    ) -> AsyncIterator[RunEvent]:
        """What the model answers, as events."""
        plain = without_pictures(request)
        try:
            async for event in reply.listen(model, plain if self._blind else request):
                yield event
        except ModelRefused as refusal:
            if self._blind or plain == request or refusal.status not in UNREADABLE:
                raise
            self._blind = True
        else:
            return
        yield UNSEEN
        async for event in reply.listen(model, plain):
            yield event


def without_pictures(request: ChatRequest) -> ChatRequest:
    """The same question in words alone."""
    messages = tuple(
        replace(message, images=(), text=message.text or NO_PICTURE) if message.images else message
        for message in request.messages
    )
    return replace(request, messages=messages)


NO_PICTURE = "[an image that cannot be shown]"
"""What stands in the prompt for a message that had only pictures."""
