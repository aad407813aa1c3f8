"""The diviner: the board at once, then the reading, by a model or by rules alone."""

import re
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import assert_never

from yarrow.agents.diviner.input import (
    EXPLAINED,
    DivinationInput,
    RuntimeMode,
    day_boundary_for,
    find_cast,
    language_for,
    parse_input,
)
from yarrow.agents.diviner.output import (
    SCHEMA,
    ReadingInvalid,
    chat_output,
    chosen,
    parse_reading,
)
from yarrow.agents.diviner.prompt import follow_up_prompt, mending_prompt, writing_prompt
from yarrow.agents.reply import Reply, plain_output
from yarrow.kit.json import JsonObject
from yarrow.liuyao import Cast, Language, derive, follow_up, read, to_output, to_payload, to_why
from yarrow.llm.errors import ModelBroken, ModelRefused
from yarrow.llm.model import ChatMessage, ChatRequest, TextChunk, UsageChunk
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    RunEvent,
    StepFinished,
    StepStarted,
    TextDelta,
    UsageReported,
    Warned,
)
from yarrow.runs.model import AgentSpec

DERIVED = "DIVINATION_DERIVED"
STEP = "worker"
FALLBACK_STEP = "reading_by_rules"
ATTEMPTS = 2
"""A reading is asked for once, and mended once."""

_PIECE = re.compile(r".{1,12}", re.DOTALL)


class Diviner:
    """Price, cap and deadline of seed 003; `model_writes` when a real model is configured."""

    spec = AgentSpec(name="divination", price=20, deadline_s=180, turn_cap=2)

    def __init__(self, *, model_writes: bool) -> None:
        self._model_writes = model_writes

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        preferences = context.run.preferences
        asked = parse_input(context.run.input.options, day_boundary=day_boundary_for(preferences))
        language = language_for(preferences)
        yield StepStarted(STEP)
        match asked.mode:
            case RuntimeMode.CHAT:
                events = self._first_reading(context, asked, language)
            case RuntimeMode.FOLLOW_UP:
                cast = find_cast(context.history) or asked.cast
                events = self._follow_up(context, cast, language)
            case _:
                assert_never(asked.mode)
        async for event in events:
            yield event
        yield StepFinished(STEP)

    async def _first_reading(
        self, context: RunContext, asked: DivinationInput, language: Language
    ) -> AsyncIterator[RunEvent]:
        derivation = derive(asked.cast)
        derived: JsonObject = dict(to_payload(derivation))
        yield Produced(DERIVED, derived)
        by_rules = read(derivation, asked.cast.question_type, language=language)
        reading = to_output(by_rules)
        boundary = {"dayBoundary": asked.cast.day_boundary.value}
        yield Produced(EXPLAINED, to_why(by_rules) | boundary)
        # Where the rules withhold a verdict for the asker's sake, no model is asked for one.
        if self._model_writes and not by_rules.withheld:
            prompt = writing_prompt(
                derived, reading, question=context.run.input.text, language=language
            )
            writer = Writer(context, by_rules=reading)
            async for event in writer.write(prompt):
                yield event
            reading = writer.reading
        for event in spoken(context, reading["answer"], chat_output(reading, derived)):
            yield event

    async def _follow_up(
        self, context: RunContext, cast: Cast, language: Language
    ) -> AsyncIterator[RunEvent]:
        derivation = derive(cast)
        question = context.run.input.text
        by_rules = follow_up(derivation, question, language=language)
        if not self._model_writes or by_rules.withheld:
            for event in spoken(context, by_rules.answer, plain_output(by_rules.answer)):
                yield event
            return
        prompt = follow_up_prompt(
            dict(to_payload(derivation)),
            by_rules.answer,
            context.history,
            question=question,
            language=language,
        )
        reply = Reply(context.new_id, set())
        async for event in reply.listen(context.model, ChatRequest(prompt)):
            yield event


class Writer:
    """Lets the model write a reading, mends it once, and keeps the one by rules otherwise."""

    def __init__(self, context: RunContext, *, by_rules: JsonObject) -> None:
        self._context = context
        self.reading = by_rules

    async def write(self, prompt: tuple[ChatMessage, ...]) -> AsyncIterator[RunEvent]:
        for _ in range(ATTEMPTS):
            said: list[str] = []
            try:
                async for event in self._ask(prompt, said):
                    yield event
            except (ModelRefused, ModelBroken):
                break  # an endpoint that knows no schemas, or cannot hold this one
            answer = "".join(said)
            try:
                self.reading = chosen(parse_reading(answer), self.reading)
            except ReadingInvalid as invalid:
                prompt = mending_prompt(prompt, answer, str(invalid))
            else:
                return
        yield StepStarted(FALLBACK_STEP)
        yield Warned("READING_BY_RULES", "The model's reading was unusable; this one is by rules.")
        yield StepFinished(FALLBACK_STEP)

    async def _ask(
        self, prompt: tuple[ChatMessage, ...], said: list[str]
    ) -> AsyncIterator[RunEvent]:
        model = self._context.model
        request = ChatRequest(prompt, response_schema=SCHEMA)
        async with aclosing(model.stream(request)) as chunks:
            async for chunk in chunks:
                match chunk:
                    case TextChunk(text):
                        said.append(text)
                    case UsageChunk(input_tokens, output_tokens):
                        yield UsageReported(model.name, input_tokens, output_tokens)
                    case _:
                        pass


def spoken(context: RunContext, answer: str, output: JsonObject) -> Iterator[RunEvent]:
    """A whole text as a message, in pieces a client can show as they come."""
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    for piece in _PIECE.findall(answer):
        yield TextDelta(message_id, piece)
    yield MessageFinished(message_id, output)
