"""Ask the model of a run. Every agent asks here, so trouble means the same for all of them."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from itertools import count
from uuid import UUID

from yarrow.agents.conversation.reply import ModelReply, ReplyBuilder, ReplyEvents
from yarrow.attachments.images import IMAGE_NOT_AVAILABLE
from yarrow.kit.json import JsonObject
from yarrow.llm.errors import (
    AnswerFiltered,
    ModelError,
    ModelFailed,
    ModelRateLimited,
    ModelRefused,
    ModelTimeout,
    ModelUnreachable,
)
from yarrow.llm.model import ChatModel, ChatRequest
from yarrow.runs.events import Progressed, RunEvent, Warned

RETRY_WAITS_S = (1.0, 2.0)
"""How long to wait before the second and the third try if the endpoint does not say; there is no
fourth."""
TRANSIENT = (ModelRateLimited, ModelUnreachable, ModelTimeout)

RETRYING = Progressed("retrying_model")
IMAGES_REFUSED = Warned(
    IMAGE_NOT_AVAILABLE, "The model does not take these images; the answer does without them."
)
NO_IMAGE = "[an image that cannot be shown]"
"""Stands in the prompt for a message that had only images."""

_IMAGE_REFUSALS = frozenset({400, 404, 413, 415, 422})
"""Statuses with which endpoints refuse images; the others are about keys and quotas."""


class Conversation:
    """The exchange of one run with its model.

    Until something of a reply was shown, a transient failure is retried, by `Retry-After` and
    within the deadline of the run, and a request whose images may be the reason is sent without
    them, now and later in the run. A content filter raises `AnswerFiltered`, a reply without text
    and calls `AnswerEmpty`; a reply cut at its length limit stands, with a warning. Reasoning,
    also in `<think>` tags, is not part of the text.
    """

    def __init__(self, model: ChatModel, new_id: Callable[[], UUID], *, deadline_s: float) -> None:
        self.reply = ModelReply()
        """The last reply; agents look at it when `ask` has ended."""
        self.answer_card: JsonObject | None = None
        """UI hints that go with the answer."""
        self._model, self._new_id = model, new_id
        self._deadline = _now() + deadline_s
        self._call_ids: set[str] = set()
        self._images_refused = False

    async def ask(
        self, request: ChatRequest, events: ReplyEvents = ReplyEvents.ALL
    ) -> AsyncGenerator[RunEvent, None]:
        """Send the request and yield the events of its reply; raises `ModelError`."""
        for tries in count():
            sent = without_images(request) if self._images_refused else request
            builder = self._builder(events)
            began = _now()
            try:
                async with aclosing(self._model.stream(sent)) as chunks:
                    async for chunk in chunks:
                        for event in builder.take(chunk):
                            yield event
                self.reply, last_events = builder.finish()
                for event in last_events:
                    yield event
            except ModelError as failure:
                wait = self._retry_wait(failure, tries, took=_now() - began)
                gives_up = wait is None and not _may_refuse_images(failure, sent)
                if gives_up or builder.has_shown:
                    raise
            else:
                return
            if wait is None:
                self._images_refused = True
                yield IMAGES_REFUSED
            else:
                yield RETRYING
                await asyncio.sleep(wait)

    def _builder(self, events: ReplyEvents) -> ReplyBuilder:
        return ReplyBuilder(
            self._model.name,
            self._new_id,
            call_ids=self._call_ids,
            events=events,
            card=self.answer_card,
        )

    def _retry_wait(self, failure: ModelError, tries: int, *, took: float) -> float | None:
        """How long to wait before the next try; None if there is none.

        The next try may take as long as this one did, so the deadline must leave time for it.
        """
        if not isinstance(failure, TRANSIENT) or tries >= len(RETRY_WAITS_S):
            return None
        wait = failure.retry_after_s
        wait = RETRY_WAITS_S[tries] if wait is None else wait
        return wait if _now() + wait + took < self._deadline else None


def without_images(request: ChatRequest) -> ChatRequest:
    """The same request without images."""
    messages = tuple(
        replace(message, images=(), text=message.text or NO_IMAGE) if message.images else message
        for message in request.messages
    )
    return replace(request, messages=messages)


def _may_refuse_images(failure: ModelError, request: ChatRequest) -> bool:
    """Whether the images may be why; servers without vision answer 400 or 500."""
    if not any(message.images for message in request.messages):
        return False
    match failure:
        case AnswerFiltered():
            return False
        case ModelRefused(status=status):
            return status in _IMAGE_REFUSALS
        case _:
            return isinstance(failure, ModelFailed)


def _now() -> float:
    return asyncio.get_running_loop().time()
