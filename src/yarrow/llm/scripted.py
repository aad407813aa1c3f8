"""A model that plays a script, for tests, examples and demonstrations.

    hold = Hold()
    model = ScriptedModel([Say("It is "), hold, Say("raining.")], [Fail(ModelTimeout(60_000))])

Each request gets the next turn of the script; after the last one `otherwise` answers, which echoes
by default. `Hold` stops an answer in the middle: wait for `hold.reached`, then set `hold.release`
or cancel. The model keeps every request and counts the answers that were closed before their end.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from typing import assert_never

from msgspec import Struct, field

from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.errors import ModelError
from yarrow.llm.model import (
    ChatMessage,
    ChatRequest,
    ChatRole,
    Chunk,
    FinishChunk,
    FinishReason,
    ReasoningChunk,
    TextChunk,
    ToolCallChunk,
    UsageChunk,
)

_TOKEN = re.compile(r"\s*\S+\s?|\s+")


class Say(Struct, frozen=True):
    """Send text word by word, with `delay_s` before each."""

    text: str
    delay_s: float = 0.0


class Think(Struct, frozen=True):
    """Send reasoning word by word."""

    text: str


class Call(Struct, frozen=True):
    """Send a tool call, its arguments in two pieces; without `id` it is numbered.

    Arguments of type str are sent unchanged, valid or not.
    """

    name: str
    arguments: JsonObject | str = field(default_factory=dict)
    id: str = ""


class Hold(Struct, frozen=True):
    """Set `reached`, then wait for `release`."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    release: asyncio.Event = field(default_factory=asyncio.Event)


class Fail(Struct, frozen=True):
    """Raise this error."""

    error: ModelError


class Spend(Struct, frozen=True):
    """Report this usage instead of the number of words and calls."""

    input_tokens: int
    output_tokens: int


class Stop(Struct, frozen=True):
    """Report this finish reason instead of the natural one."""

    reason: FinishReason


Step = Say | Think | Call | Hold | Fail | Spend | Stop
Turn = Sequence[Step]


def echo(request: ChatRequest) -> Turn:
    """Repeat the last message, so that the answer shows what the model received."""
    last = request.messages[-1] if request.messages else ChatMessage(ChatRole.USER, "")
    if last.role is ChatRole.TOOL:
        return [Say(f"The tool answered: {last.text}")]
    return [Say(f"You said: {last.text}")]


class ScriptedModel:
    """A `ChatModel` that follows a script, one turn per request."""

    def __init__(
        self,
        *script: Turn,
        name: str = "scripted",
        otherwise: Callable[[ChatRequest], Turn] = echo,
    ) -> None:
        self.requests: list[ChatRequest] = []
        self.active = 0
        self.cancelled = 0
        self._name = name
        self._script = list(script)
        self._otherwise = otherwise

    @property
    def name(self) -> str:
        return self._name

    def play(self, *turns: Turn) -> None:
        """Add turns to the end of the script."""
        self._script += turns

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Chunk, None]:
        """Play the next turn of the script."""
        self.requests.append(request)
        turn = self._script.pop(0) if self._script else self._otherwise(request)
        self.active += 1
        try:
            for item in _expand_turn(turn):
                match item:
                    case _Pause(seconds):
                        await asyncio.sleep(seconds)
                    case Hold(reached, release):
                        reached.set()
                        await release.wait()
                    case Fail(error):
                        raise error
                    case _:
                        yield item
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled += 1
            raise
        finally:
            self.active -= 1


class _Pause(Struct, frozen=True):
    seconds: float


_ScriptItem = Chunk | _Pause | Hold | Fail


def _expand_turn(turn: Turn) -> Iterator[_ScriptItem]:
    calls, pieces = 0, 0
    usage: Spend | None = None
    finish: FinishReason | None = None
    for step in turn:
        match step:
            case Spend():
                usage = step
            case Stop(reason):
                finish = reason
            case Hold() | Fail():
                yield step
            case Say() | Think():
                pieces += len(split_tokens(step.text))
                yield from _send_words(step)
            case Call():
                yield from _send_call(step, calls)
                calls += 1
            case _:
                assert_never(step)
    spent = usage or Spend(input_tokens=1, output_tokens=pieces + calls)
    yield UsageChunk(spent.input_tokens, spent.output_tokens)
    yield FinishChunk(finish or (FinishReason.TOOL_CALLS if calls else FinishReason.STOP))


def _send_words(step: Say | Think) -> Iterator[_ScriptItem]:
    for token in split_tokens(step.text):
        match step:
            case Say():
                yield _Pause(step.delay_s)
                yield TextChunk(token)
            case Think():
                yield ReasoningChunk(token)
            case _:
                assert_never(step)


def _send_call(call: Call, index: int) -> Iterator[_ScriptItem]:
    arguments = call.arguments
    text = arguments if isinstance(arguments, str) else encode_json(arguments).decode()
    half = len(text) // 2
    yield ToolCallChunk(index, call.id or f"call_{index}", call.name, text[:half])
    yield ToolCallChunk(index, id="", name="", arguments=text[half:])


def split_tokens(text: str) -> list[str]:
    """Split text into pieces of about a word; joined they are the text again."""
    return _TOKEN.findall(text)
