"""Where an answer of the small model has to stop.

It knows no facts, and of what users tell of themselves it misunderstands two thirds. So it only plays
characters, for whom an odd answer does less harm than none.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Final

from yarrow.kit.json import JsonObject
from yarrow.llm.model import (
    ChatModel,
    ChatRequest,
    Chunk,
    FinishChunk,
    FinishReason,
    TextChunk,
    UsageChunk,
)

MAX_TOKENS = 120
MAX_SENTENCES = 2
TIME_LIMIT_S = 5.0
"""After this the answer ends with the sentence that is complete."""
START_LIMITS = 4
"""How many time limits the first token may take: the model's process may have to start."""
REPEATED_WORDS = 4
"""So many words in the same order a second time are a loop."""

_SENTENCE_END: Final = re.compile(r"[.!?]['\"”)]?(?=\s)|\n")


async def stream_short_answer(
    model: ChatModel, request: ChatRequest, *, otherwise: str, time_limit_s: float = TIME_LIMIT_S
) -> AsyncGenerator[Chunk, None]:
    """Ask the small model and stop its answer at a loop, a length or a time limit.

    If it has no whole sentence in time, the answer is `otherwise`.
    """
    sentences, usage = SentenceBuffer(), UsageChunk(0, 0)
    async with aclosing(model.stream(_limit_request(request))) as chunks:
        async for chunk in _stream_until_timeout(chunks, time_limit_s):
            if isinstance(chunk, UsageChunk):
                usage = chunk
            elif isinstance(chunk, TextChunk):
                for sentence in sentences.feed(chunk.text):
                    yield TextChunk(sentence)
            if sentences.is_full:
                break
    for sentence in sentences.finish():
        yield TextChunk(sentence)
    if sentences.is_empty:
        yield TextChunk(otherwise)
    author = "" if sentences.is_empty else model.name
    yield UsageChunk(usage.input_tokens, usage.output_tokens, author)
    yield FinishChunk(FinishReason.STOP)


async def _stream_until_timeout(
    chunks: AsyncGenerator[Chunk, None], time_limit_s: float
) -> AsyncIterator[Chunk]:
    """The chunks within the time limit, which begins with the first one: cancelling a model that
    still starts would make the next question wait for it again."""
    now = asyncio.get_running_loop().time
    give_up_at, has_begun = now() + START_LIMITS * time_limit_s, False
    while True:
        try:
            async with asyncio.timeout_at(give_up_at):
                chunk = await anext(chunks)
        except (StopAsyncIteration, TimeoutError):
            return
        if not has_begun:
            give_up_at, has_begun = now() + time_limit_s, True
        yield chunk


def _limit_request(request: ChatRequest) -> ChatRequest:
    limits: JsonObject = {"temperature": 0.0, "repeat_penalty": 1.05, "max_tokens": MAX_TOKENS}
    return ChatRequest(request.messages, sampler=request.sampler | limits)


class SentenceBuffer:
    """Gives an answer sentence by sentence, and ends it before it repeats itself."""

    def __init__(self) -> None:
        self.is_full = False
        self._sentences: list[str] = []
        self._open = ""

    @property
    def is_empty(self) -> bool:
        return not self._sentences

    def feed(self, text: str) -> Iterator[str]:
        """The sentences that are complete now."""
        self._open += text
        while not self.is_full and (end := _SENTENCE_END.search(self._open)):
            sentence, self._open = self._open[: end.end()], self._open[end.end() :]
            yield from self._add_sentence(sentence)
        self.is_full = self.is_full or _has_loop(self._open)

    def finish(self) -> Iterator[str]:
        """The last sentence, if it is one; half of one is dropped."""
        rest = self._open.strip()
        if not self.is_full and rest and rest.rstrip("'\"”)")[-1:] in (".", "!", "?"):
            yield from self._add_sentence(rest)

    def _add_sentence(self, sentence: str) -> Iterator[str]:
        text = " ".join(sentence.split())
        if not _normalise_sentence(text):
            return
        if text in self._sentences or _has_loop(" ".join((*self._sentences, text))):
            self.is_full = True
            return
        yield f" {text}" if self._sentences else text
        self._sentences.append(text)
        self.is_full = len(self._sentences) >= MAX_SENTENCES


def _normalise_sentence(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.lower()))


def _has_loop(text: str) -> bool:
    """Whether some words come a second time in the same order."""
    words = _normalise_sentence(text).split()
    windows = [tuple(words[at : at + REPEATED_WORDS]) for at in range(len(words))]
    whole = [window for window in windows if len(window) == REPEATED_WORDS]
    return len(set(whole)) < len(whole)
