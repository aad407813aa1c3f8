"""What the small model is asked, and where its answer has to stop.

It knows no facts, invents poor jokes and writes no code, and asked about itself it pretends to be
a person. So it gets only "how are you" and what users tell of themselves, no questions and no requests. Its prompt shows how to
answer: with instructions alone it rambles.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from typing import Final

from yarrow.kit.json import JsonObject
from yarrow.llm.model import (
    ChatMessage,
    ChatModel,
    ChatRequest,
    ChatRole,
    Chunk,
    FinishChunk,
    FinishReason,
    TextChunk,
    UsageChunk,
)

MAX_WORDS = 40
MAX_TOKENS = 120
MAX_SENTENCES = 2
TIME_LIMIT_S = 5.0
"""After this the answer ends with the sentence that is complete."""
START_LIMITS = 4
"""How many time limits the first token may take: the model's process may have to start."""
REPEATED_WORDS = 4
"""So many words in the same order a second time are a loop."""

_PERSONAL: Final = re.compile(
    r"^\W*(?:(?:well|oh|so|yes|no|and|but|hi|hello|hey|ok|okay|today|yesterday|wow)[,!. ]+)*"
    r"(?:i|i'm|i've|i'd|i'll|im|my|we|we're|we've|our)\b(?!.*\?)"
    r"|\b(?:how are you|how (?:do|have) you (?:do|been)|how are things|how is it going"
    r"|how's it going|what's up|nice to meet you)\b",
    re.IGNORECASE,
)
_ABOUT_ITSELF: Final = re.compile(
    r"(?<!how are )(?<!meet )(?<!how do )(?<!how have )\b(?:you|u|you're|your|yours|yourself)\b",
    re.IGNORECASE,
)
_BEYOND: Final = re.compile(
    r"\d|https?:|[{}<>\\`|]|\b(?:translate|summari[sz]e|code|program|script|function|python|javascript|"
    r"sql|html|regex|json|explain|essay|article|email|letter|report|plan|recipe|list|compare|analyse|"
    r"analyze|define|definition|meaning|capital|president|population|price|stock|news|latest|"
    r"calculate|solve|convert|prove|research|medical|medicine|dose|symptom\w*|legal|law|lawyer|invest"
    r"\w*|diagnos\w*|suicide|kill|die|hurt|spell|history of|who (?:is|was|are|were|won|wrote)|"
    r"when (?:is|was|did|will)|where (?:is|are|was)|how (?:many|much|far|long|tall|big|does|do i|to)|"
    r"what time|weather|forecast|instructions|prompt|system|ignore|"
    r"jokes?|story|stories|poem|poems|song|riddle|remember|recommend|advise|should i)\b",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"[.!?]['\"”)]?(?=\s)|\n")

_EXAMPLES: Final = (
    ChatMessage(
        ChatRole.SYSTEM,
        "You are a friendly assistant. You answer with one or two short sentences.",
    ),
    ChatMessage(ChatRole.USER, "How are you?"),
    ChatMessage(ChatRole.ASSISTANT, "I am doing well, thank you! How are you?"),
    ChatMessage(ChatRole.USER, "I like music."),
    ChatMessage(ChatRole.ASSISTANT, "That is nice! What do you listen to?"),
    ChatMessage(ChatRole.USER, "I had a bad day."),
    ChatMessage(ChatRole.ASSISTANT, "I am sorry to hear that. What happened?"),
    ChatMessage(ChatRole.USER, "We went to the beach."),
    ChatMessage(ChatRole.ASSISTANT, "That sounds lovely! How was it?"),
)


def is_small_talk(text: str) -> bool:
    """Whether the text is short, personal, and asks for nothing that needs knowledge."""
    is_short = len(text.split()) <= MAX_WORDS
    is_personal = _PERSONAL.search(text) and not _ABOUT_ITSELF.search(text)
    return is_short and bool(is_personal) and not _BEYOND.search(text)


async def stream_small_talk(
    model: ChatModel, request: ChatRequest, *, otherwise: str, time_limit_s: float = TIME_LIMIT_S
) -> AsyncGenerator[Chunk, None]:
    """Ask the small model and stop its answer at a loop, a length or a time limit.

    If it has no whole sentence in time, the answer is `otherwise`.
    """
    sentences, usage = SentenceBuffer(), UsageChunk(0, 0)
    async with aclosing(model.stream(_write_request(request))) as chunks:
        async for chunk in _until_timeout(chunks, time_limit_s):
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
    yield UsageChunk(usage.input_tokens, usage.output_tokens, model.name)
    yield FinishChunk(FinishReason.STOP)


async def _until_timeout(
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


def _write_request(request: ChatRequest) -> ChatRequest:
    """The prompt of small talk; a request without tools keeps its own, which sets a role."""
    limits: JsonObject = {"temperature": 0.0, "repeat_penalty": 1.05, "max_tokens": MAX_TOKENS}
    sampler = request.sampler | limits
    if not request.tools:
        return ChatRequest(request.messages, sampler=sampler)
    question = next(m for m in reversed(request.messages) if m.role is ChatRole.USER)
    # Without the conversation: it confuses so small a model, and the examples stay in its cache.
    return ChatRequest((*_EXAMPLES, ChatMessage(ChatRole.USER, question.text)), sampler=sampler)


_WELCOME: Final = re.compile(r"you(?:'re| are) (?:very )?welcome\b", re.IGNORECASE)


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
            yield from self._add(sentence)
        self.is_full = self.is_full or _has_loop(self._open)

    def finish(self) -> Iterator[str]:
        """The last sentence, if it is one; half of one is dropped."""
        rest = self._open.strip()
        if not self.is_full and rest and rest.rstrip("'\"”)")[-1:] in (".", "!", "?"):
            yield from self._add(rest)

    def _add(self, sentence: str) -> Iterator[str]:
        text = " ".join(sentence.split())
        if not _normalise(text):
            return
        if not self._sentences and _WELCOME.match(text):
            return  # Nobody thanked: thanks are answered by a rule.
        if text in self._sentences or _has_loop(" ".join((*self._sentences, text))):
            self.is_full = True
            return
        yield f" {text}" if self._sentences else text
        self._sentences.append(text)
        self.is_full = len(self._sentences) >= MAX_SENTENCES


def _normalise(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.lower()))


def _has_loop(text: str) -> bool:
    """Whether some words come a second time in the same order."""
    words = _normalise(text).split()
    windows = [tuple(words[at : at + REPEATED_WORDS]) for at in range(len(words))]
    whole = [window for window in windows if len(window) == REPEATED_WORDS]
    return len(set(whole)) < len(whole)
