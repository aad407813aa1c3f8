"""The diviner: the board at once, then the reading, by a model or by rules alone."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import assert_never, cast

from yarrow.agents.conversation.conversation import Conversation, start_conversation
from yarrow.agents.conversation.reply import BY_RULES, ReplyEvents, build_text_output
from yarrow.agents.diviner.input import (
    DivinationInput,
    FirstCast,
    RuntimeMode,
    choose_asker,
    choose_day_boundary,
    choose_language,
    find_first_cast,
    is_free_follow_up,
    parse_input,
)
from yarrow.agents.diviner.output import (
    SCHEMA,
    ReadingInvalid,
    build_chat_output,
    merge_reading,
    parse_reading,
)
from yarrow.agents.diviner.prompt import (
    build_follow_up_prompt,
    build_repair_prompt,
    build_writing_prompt,
)
from yarrow.attachments.images import IMAGE_NOT_AVAILABLE
from yarrow.journal.events import (
    FailureReason,
    MessageFinished,
    MessageStarted,
    RunEvent,
    StepFinished,
    StepStarted,
    TextDelta,
    Warned,
)
from yarrow.kit.json import JsonObject
from yarrow.language.languages import Language
from yarrow.liuyao import (
    Cast,
    Derivation,
    KnownAsker,
    build_divination_payload,
    derive,
    explain_reading,
    is_other_matter,
    is_thanks,
    to_output_fields,
    write_follow_up,
    write_other_matter,
    write_reading,
)
from yarrow.llm.errors import AnswerEmpty, AnswerFiltered, ModelBroken, ModelRefused
from yarrow.llm.model import ChatMessage, ChatRequest
from yarrow.points.prices import RUN_PRICE
from yarrow.product_events.divination import DivinationDerived, ReadingExplained
from yarrow.runs.agent import RunContext
from yarrow.runs.errors import AgentRefused
from yarrow.runs.model import AgentSpec

STEP = "worker"
FALLBACK_STEP = "reading_by_rules"
TURN_CAP = 2
"""A reading and one follow-up."""
ATTEMPTS = 2
"""The model writes a reading once and may repair it once."""

IMAGES_IGNORED = Warned(
    IMAGE_NOT_AVAILABLE, "A divination is read from its board; images are not looked at."
)

_PIECE = re.compile(r".{1,12}", re.DOTALL)


class Diviner:
    """Price, cap and deadline of seed 003; `model_writes` when a real model is configured."""

    spec = AgentSpec(
        name="divination",
        price=RUN_PRICE,
        deadline_s=180,
        turn_cap=TURN_CAP,
        is_free=is_free_follow_up,
    )

    def __init__(self, *, model_writes: bool) -> None:
        self._model_writes = model_writes

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        preferences = context.run.preferences
        request = parse_input(
            context.run.input.options, day_boundary=choose_day_boundary(preferences)
        )
        language = choose_language(preferences, context.run.input.text, request.cast.question)
        if context.run.input.images:
            yield IMAGES_IGNORED
        yield StepStarted(STEP)
        match request.mode:
            case RuntimeMode.CHAT:
                events = self._write_first_reading(context, request, language)
            case RuntimeMode.FOLLOW_UP:
                events = self._answer_follow_up(context, request.cast, language)
            case _:
                assert_never(request.mode)
        async for event in events:
            yield event
        yield StepFinished(STEP)

    async def _write_first_reading(
        self, context: RunContext, request: DivinationInput, language: Language
    ) -> AsyncIterator[RunEvent]:
        derivation = derive(request.cast)
        asker = choose_asker(context.run, request.cast.question)
        derived = encode_board(derivation, asker)
        yield DivinationDerived(derived)
        by_rules = write_reading(derivation, asker=asker, language=language)
        reading = to_output_fields(by_rules)
        boundary = {"dayBoundary": request.cast.day_boundary.value}
        yield ReadingExplained(explain_reading(by_rules) | boundary)
        # Where the rules withhold a verdict to protect the user, no model is asked for one.
        if self._model_writes and not by_rules.withheld:
            prompt = build_writing_prompt(
                derived, reading, question=context.run.input.text, language=language
            )
            writer = ReadingWriter(start_conversation(context, self.spec), by_rules=reading)
            async for event in writer.write(prompt):
                yield event
            reading = writer.reading
        else:
            yield BY_RULES
        for event in make_message_events(
            context, str(reading["answer"]), build_chat_output(reading, derived)
        ):
            yield event

    async def _answer_follow_up(
        self, context: RunContext, sent: Cast, language: Language
    ) -> AsyncIterator[RunEvent]:
        question = context.run.input.text
        first = find_first_cast(context.history) or FirstCast(sent)
        cast = first.cast
        if not self._model_writes and is_other_matter(question, cast):
            answer = write_other_matter(question, cast, language=language)
            output = build_text_output(answer) | {"status": "refused"}
            for event in make_message_events(context, answer, output):
                yield event
            # A run that fails leaves the session its follow-up.
            raise AgentRefused(FailureReason.OTHER_MATTER, "the board is for another matter")
        derivation = derive(cast)
        asker = choose_asker(context.run, f"{cast.question} {question}", known=first.asker)
        by_rules = write_follow_up(derivation, question, asker=asker, language=language)
        if not self._model_writes or by_rules.withheld or is_thanks(question):
            yield BY_RULES
            for event in make_message_events(
                context, by_rules.answer, build_text_output(by_rules.answer)
            ):
                yield event
            return
        prompt = build_follow_up_prompt(
            encode_board(derivation, asker),
            by_rules.answer,
            context.history,
            question=question,
            language=language,
        )
        conversation = start_conversation(context, self.spec)
        async for event in conversation.ask(ChatRequest(prompt)):
            yield event


class ReadingWriter:
    """Lets the model write a reading.

    A reply that is no reading is repaired once. Then an empty reply fails the run, and any other
    gives way to the reading by rules.
    """

    def __init__(self, conversation: Conversation, *, by_rules: JsonObject) -> None:
        self._conversation = conversation
        self.reading = by_rules

    async def write(self, prompt: tuple[ChatMessage, ...]) -> AsyncIterator[RunEvent]:
        for _ in range(ATTEMPTS):
            request = ChatRequest(prompt, response_schema=SCHEMA)
            try:
                async for event in self._conversation.ask(request, ReplyEvents.NONE):
                    yield event
            except AnswerFiltered:
                raise
            except (ModelRefused, ModelBroken):
                break  # the endpoint knows no schemas, or its model cannot follow this one
            text = self._conversation.reply.text
            try:
                self.reading = merge_reading(parse_reading(text), self.reading)
            except ReadingInvalid as invalid:
                prompt = build_repair_prompt(prompt, text, str(invalid))
            else:
                return
        else:
            if not text.strip():
                raise AnswerEmpty
        yield StepStarted(FALLBACK_STEP)
        yield Warned("READING_BY_RULES", "The model's reading was unusable; this one is by rules.")
        yield StepFinished(FALLBACK_STEP)


def encode_board(derivation: Derivation, asker: KnownAsker) -> JsonObject:
    """The board as a plain object; a TypedDict is one, which its type does not say."""
    return cast("JsonObject", build_divination_payload(derivation, asker))


def make_message_events(context: RunContext, answer: str, output: JsonObject) -> Iterator[RunEvent]:
    """A finished text as a message, in pieces of a few characters."""
    message_id = str(context.new_id())
    yield MessageStarted(message_id)
    for piece in _PIECE.findall(answer):
        yield TextDelta(message_id, piece)
    yield MessageFinished(message_id, output)
