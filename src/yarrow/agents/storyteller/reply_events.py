"""Turn the events of a model's reply into those of a story: no summaries, scripts applied."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from yarrow.agents.conversation.reply import build_text_output
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    ReasoningDelta,
    ReasoningFinished,
    ReasoningStarted,
    RunEvent,
    TextDelta,
    UsageReported,
    Warned,
)
from yarrow.llm.errors import AnswerEmpty, ModelTimeout
from yarrow.product_events.story import ReplyDraft, StoryReply
from yarrow.prompting.assembly import rewrites_replies
from yarrow.prompting.regex_rules import SkipReason
from yarrow.prompting.summaries import extract_summaries
from yarrow.prompting.summary_filter import SummaryFilter
from yarrow.prompting.tokens import estimate_tokens
from yarrow.runs.errors import NoTextToKeep
from yarrow.stories.prompts import StoryPrompts, TurnPrompt
from yarrow.tools.arguments import make_printable

REPLY_STOPPED = Warned(
    "REPLY_STOPPED", "The reply was stopped; its text so far is stored, its usage is estimated."
)


NAME_CHARS = 100
LIST_CHARS = 1_000
_STOPPED = (SkipReason.TIMED_OUT, SkipReason.TOO_LONG)

_HELD_EVENTS = (
    MessageStarted,
    MessageFinished,
    TextDelta,
    ReasoningStarted,
    ReasoningDelta,
    ReasoningFinished,
    StoryReply,
)


class StoryReplyEvents:
    """Converts the events of one reply.

    The text events of a run, joined, are the stored reply. Where scripts will rewrite the reply,
    the pieces on the way are drafts and the text comes at the end, in one event. A held reply is
    drafts only until it is released. What the model says beside tool calls and behind them is one
    message, in paragraphs.
    """

    def __init__(
        self,
        prompts: StoryPrompts,
        prompt: TurnPrompt,
        *,
        is_held: bool = False,
        attempt: int = 1,
    ) -> None:
        self.text = ""
        """The reply, when it is complete."""
        self.was_stopped = False
        self._attempt, self._begins_paragraph = attempt, False
        self._prompts, self._prompt = prompts, prompt
        self._is_held, self._held = is_held, list[RunEvent]()
        self._is_rewritten = rewrites_replies(prompt.material)
        self._filter = SummaryFilter()
        self._raw: list[str] = []
        self._shown: list[str] = []
        self._reasoning: list[str] = []
        self._open_message = self._open_reasoning = ""
        self._has_ended = False

    def convert_text(self, delta: TextDelta) -> RunEvent | None:
        """Convert a piece of text; None if it is held back. Nearly all events of a reply are this,
        so it is no generator."""
        text = self._begin_paragraph(delta.text) if self._begins_paragraph else delta.text
        self._raw.append(text)
        shown = self._show_text(self._open_message, self._filter.feed(text))
        return None if shown is None or self._hold_event(shown) else shown

    async def convert(self, event: RunEvent) -> AsyncIterator[RunEvent]:
        """Convert any other event."""
        async for converted in self._convert_event(event):
            if not self._hold_event(converted):
                yield converted

    def _hold_event(self, event: RunEvent) -> bool:
        if not (self._is_held and isinstance(event, _HELD_EVENTS)):
            return False
        self._held.append(event)
        return True

    def release(self) -> list[RunEvent]:
        """The events that were held."""
        held, self._held = self._held, []
        return held

    async def _convert_event(self, event: RunEvent) -> AsyncIterator[RunEvent]:
        match event:
            case ReasoningDelta(text=text):
                self._reasoning.append(text)
                yield event
            case MessageStarted(message_id):
                if not self._open_message:
                    self._open_message = message_id
                    yield event
            case ReasoningStarted(message_id):
                self._open_reasoning = message_id
                yield event
            case ReasoningFinished():
                self._open_reasoning = ""
                yield event
            case MessageFinished(output=None):
                self._begins_paragraph = True
            case MessageFinished():
                async for last in self._finish_message(self._open_message):
                    yield last
            case _:
                yield event

    def _begin_paragraph(self, text: str) -> str:
        """The first piece behind a tool call begins a paragraph."""
        self._begins_paragraph = False
        return f"\n\n{text}" if "".join(self._raw).strip() else text

    @property
    def has_text(self) -> bool:
        """Whether something was shown that can be stored."""
        return bool("".join(self._shown).strip())

    async def finish_calls(self) -> AsyncIterator[RunEvent]:
        """End a reply whose model wrote nothing after its tool calls."""
        async for event in self._finish_message(self._open_message):
            if not self._hold_event(event):
                yield event

    async def finish_early(self, model_name: str) -> AsyncIterator[RunEvent]:
        """End a reply that was stopped; the model did not report its usage, so it is estimated.

        Nothing if the reply was complete; raises `NoTextToKeep` if it has no text.
        """
        if self._has_ended:
            return
        self.was_stopped = True
        if not self.has_text:
            raise NoTextToKeep
        self._filter = SummaryFilter()  # What it holds back may be half a summary.
        if self._open_reasoning:
            reasoning_end = ReasoningFinished(self._open_reasoning)
            if not self._hold_event(reasoning_end):
                yield reasoning_end
        yield REPLY_STOPPED
        output_tokens = estimate_tokens("".join((*self._reasoning, *self._raw)))
        yield UsageReported(model_name, self._prompt.assembly.token_estimate, output_tokens)
        async for event in self._finish_message(self._open_message):
            if not self._hold_event(event):
                yield event

    def _show_text(self, message_id: str, text: str) -> RunEvent | None:
        if not text:
            return None
        self._shown.append(text)
        return (
            ReplyDraft(text) if self._is_rewritten or self._is_held else TextDelta(message_id, text)
        )

    async def _finish_message(self, message_id: str) -> AsyncIterator[RunEvent]:
        self._has_ended = True
        if shown := self._show_text(message_id, self._filter.close()):
            yield shown
        text = "".join(self._shown)
        if self._is_rewritten and text:
            outcome = await self._prompts.rewrite_reply(self._prompt, text)
            text = outcome.text
            if stopped := [each.name for each in outcome.skipped if each.reason in _STOPPED]:
                yield warn_stopped_scripts(stopped)
        if not text.strip():
            raise AnswerEmpty
        if self._is_rewritten or self._is_held:
            yield TextDelta(message_id, text)
        self.text = text
        summaries = extract_summaries("".join(self._raw)).summaries
        reasoning = "".join(self._reasoning)
        yield MessageFinished(message_id, build_text_output(text), reasoning)
        yield StoryReply(text, summaries, self._attempt)


def warn_stopped_scripts(names: Sequence[str]) -> Warned:
    listed = ", ".join(make_printable(name)[:NAME_CHARS] or "unnamed" for name in names)
    return Warned(
        "SCRIPT_STOPPED",
        "These regex scripts took too long or made the reply too long, and were not applied: "
        f"{listed[:LIST_CHARS]}",
    )


async def raise_on_silence(
    events: AsyncGenerator[RunEvent, None], timeout_ms: int
) -> AsyncGenerator[RunEvent, None]:
    """Raise `ModelTimeout` when the next event takes longer than this."""
    async with aclosing(events):
        while True:
            try:
                async with asyncio.timeout(timeout_ms / 1000):
                    event = await anext(events)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise ModelTimeout(timeout_ms) from None
            yield event
