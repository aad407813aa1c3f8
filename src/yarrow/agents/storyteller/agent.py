"""The storyteller: builds the prompt of the next turn, asks the model, keeps summaries apart."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from datetime import timedelta
from enum import StrEnum
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from yarrow.agents.conversation.conversation import Conversation, ToolLoop, start_conversation
from yarrow.agents.conversation.read_until_finish import read_until_finish
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.agents.storyteller.director_verifier import (
    DIRECTOR_FAILED,
    VERIFIER_FAILED,
    InternalQuestion,
    ask_director,
    ask_verifier,
    decide_by_verdict,
    direct_prompt,
    parse_advice,
    parse_verdict,
)
from yarrow.agents.storyteller.reply_events import StoryReplyEvents, raise_on_silence
from yarrow.agents.storyteller.sampling import build_sampler, choose_sampler, read_timeout_ms
from yarrow.agents.storyteller.slots import TurnSlots, open_slots, warn_disabled
from yarrow.agents.storyteller.tool_calls import NarratorTools
from yarrow.agents.storyteller.turn_memory import TurnConsolidation
from yarrow.journal.events import FailureReason, Progressed, RunEvent, TextDelta, Warned
from yarrow.journal.steps import CompletedSteps, StepsDiverged
from yarrow.llm.errors import AnswerEmpty, AnswerUnusable, PromptTooLong
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.product_events.story import (
    MemoryNoted,
    PromptSent,
    ReplyRejected,
    StoryReply,
    VerifierReport,
    VerifierStatus,
)
from yarrow.product_events.story_tools import StagedWrite
from yarrow.prompting.assembly import RunKind
from yarrow.prompting.errors import PromptTooLarge, UserMessageErased
from yarrow.prompting.macros import MutationKind
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.worldbook import timers_to_json
from yarrow.runs.agent import RunContext
from yarrow.runs.errors import AgentRefused
from yarrow.runs.model import AgentSpec, ClaimedRun
from yarrow.settings import MemoryMode
from yarrow.stories.commit import commit_turn, make_commit_part
from yarrow.stories.model_endpoints.model import ModelSlot
from yarrow.stories.model_endpoints.slots import SlotModels
from yarrow.stories.prompt_record import compress_record, decompress_record, make_record
from yarrow.stories.prompts import PromptPosition, PromptQuery, StoryPrompts, TurnPrompt
from yarrow.stories.tools.executions import record_discarded
from yarrow.stories.tools.permissions import ToolPermissions
from yarrow.stories.tools.replay_checks import require_still_replayable
from yarrow.stories.tools.toolbox import StoryToolbox
from yarrow.stories.turn_input import TurnInput, TurnKind, parse_turn_input
from yarrow.stories.turn_state import select_storable

STORYTELLER = "storyteller"
DEADLINE_S = 600.0

INPUT_IGNORED = Warned(
    "STORY_INPUT_IGNORED",
    "A story reads text: images, tools and context of the request are not used.",
)
WRITES_DROPPED = Warned(
    "VARIABLES_FULL", "Some variables that the prompt writes have no room and are not stored."
)

_ROLES = {
    PromptRole.SYSTEM: ChatRole.SYSTEM,
    PromptRole.USER: ChatRole.USER,
    PromptRole.ASSISTANT: ChatRole.ASSISTANT,
}
_RUN_KINDS = {
    TurnKind.RESPOND: RunKind.RESPOND,
    TurnKind.REGENERATE: RunKind.REGENERATE,
    TurnKind.RETRY: RunKind.RETRY,
    TurnKind.EDIT: RunKind.REGENERATE,
}


class TurnPhase(StrEnum):
    """The labels of `Progressed`, in order."""

    RESOLVED = "resolved"
    CHECKED = "checked"
    ASSEMBLED = "assembled"
    GENERATING = "generating"
    GENERATED = "generated"
    VERIFIED = "verified"
    PREPARED = "prepared"


class ReplySource(Struct, frozen=True):
    """What the replies of one turn are generated from."""

    context: RunContext
    conversation: Conversation
    prompt: TurnPrompt
    turn: TurnInput
    sent: PromptSent
    slots: TurnSlots


class Storyteller:
    """Answers turns of stories. What it writes is staged in its events and stored by `commit`."""

    def __init__(
        self,
        prompts: StoryPrompts,
        toolbox: StoryToolbox,
        *,
        price: int,
        timeout_ms: int,
        commit_timeout_ms: int,
        memory: MemoryMode = MemoryMode.SYNC,
        models: SlotModels | None = None,
    ) -> None:
        self.spec = AgentSpec(
            name=STORYTELLER,
            price=price,
            deadline_s=DEADLINE_S,
            commit=commit_turn,
            commit_part=make_commit_part,
            commit_timeout=timedelta(milliseconds=commit_timeout_ms),
            discard=record_discarded,
            history_turns=0,
            answers_stories=True,
        )
        self._prompts, self._toolbox = prompts, toolbox
        self._timeout_ms, self._memory, self._models = timeout_ms, memory, models

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        run = context.run
        turn = parse_turn_input(run.input.options)
        if run.input.images or run.input.tools or run.input.context:
            yield INPUT_IGNORED
        yield _report_phase(context, TurnPhase.RESOLVED)
        await require_still_replayable(self._toolbox.database, run, turn)
        prompt = await self._build_prompt(run, turn)
        yield _report_phase(context, TurnPhase.CHECKED)
        slots = open_slots(self._models, prompt.state.session.models, context)
        narrator = slots.open(ModelSlot.NARRATOR)
        for warning in slots.list_skips(ModelSlot.NARRATOR):
            yield warning
        context = replace(context, model=narrator.model)
        conversation = start_conversation(context, self.spec)
        if turn.modules.has_director:
            question = self._make_question(conversation, slots, ModelSlot.DIRECTOR)
            async for event in _ask_director(question, slots, prompt):
                yield event
            advice = parse_advice(question.reply)
            prompt = prompt if advice is None else direct_prompt(prompt, advice)
        sent = _take_recorded_prompt(context.steps) or _make_sent_prompt(prompt)
        yield sent
        if len(sent.writes) < len(prompt.assembly.staged_mutations):
            yield WRITES_DROPPED
        yield _report_phase(context, TurnPhase.ASSEMBLED)
        prompt = _repeat_prompt(prompt, sent)
        narration = ReplySource(context, conversation, prompt, turn, sent, slots)
        reply = StoryReply("")
        async with aclosing(self._generate_reply(narration)) as events:
            async for event in events:
                reply = event if isinstance(event, StoryReply) else reply
                yield event
        if self._memory is not MemoryMode.OFF:
            async for event in self._remember_turn(narration, reply):
                yield event
        for phase in (TurnPhase.VERIFIED, TurnPhase.PREPARED):
            yield _report_phase(context, phase)

    async def _generate_reply(self, narration: ReplySource) -> AsyncGenerator[RunEvent, None]:
        """Generate the reply, again if the verifier rejects it and the turn allows it."""
        prompt, modules = narration.prompt, narration.turn.modules
        for attempt in count(1):
            yield _report_phase(narration.context, TurnPhase.GENERATING)
            reply = StoryReplyEvents(
                self._prompts, prompt, is_held=modules.holds_reply, attempt=attempt
            )
            tools = self._open_tools(narration, attempt)
            async with aclosing(self._read_reply(narration, tools, reply)) as events:
                async for event in events:
                    yield event
            yield _report_phase(narration.context, TurnPhase.GENERATED)
            if not modules.has_verifier:
                return
            is_enabled = narration.slots.is_enabled(ModelSlot.VERIFIER)
            if reply.was_stopped or not is_enabled:
                if not is_enabled:
                    yield warn_disabled(ModelSlot.VERIFIER)
                yield VerifierReport(VerifierStatus.SKIPPED)
                break
            for warning in narration.slots.list_skips(ModelSlot.VERIFIER) if attempt == 1 else ():
                yield warning
            question = self._make_question(
                narration.conversation, narration.slots, ModelSlot.VERIFIER
            )
            async for event in ask_verifier(question, prompt.assembly.messages, reply.text):
                yield event
            if question.reply is None:
                yield VERIFIER_FAILED
            decision = decide_by_verdict(parse_verdict(question.reply), modules, attempt)
            yield decision.report
            if decision.is_accepted:
                break
            if not decision.is_repeated:
                raise AnswerUnusable(attempt)
            tools.require_repeatable()
            yield ReplyRejected()
        for event in reply.release():
            yield event

    async def _read_reply(
        self, narration: ReplySource, tools: NarratorTools, reply: StoryReplyEvents
    ) -> AsyncGenerator[RunEvent, None]:
        context = narration.context
        asking = read_until_finish(self._ask_model(narration, tools), context.finish)
        try:
            async with aclosing(asking) as events:
                async for event in events:
                    if isinstance(event, TextDelta):
                        if (shown := reply.convert_text(event)) is not None:
                            yield shown
                        continue
                    async for story_event in reply.convert(event):
                        yield story_event
        except AnswerEmpty:
            if not reply.has_text:
                raise
            async for story_event in reply.finish_calls():
                yield story_event
        async for story_event in reply.finish_early(context.model.name):
            yield story_event

    async def _remember_turn(
        self, narration: ReplySource, reply: StoryReply
    ) -> AsyncIterator[RunEvent]:
        """Note what the turn remembers. A reply that was stopped is not consolidated."""
        prompt, context = narration.prompt, narration.context
        slots = narration.slots
        wanted = narration.turn.modules.consolidates and not context.finish.is_requested
        if wanted and not slots.is_enabled(ModelSlot.MEMORY):
            wanted = False
            yield warn_disabled(ModelSlot.MEMORY)
        if self._memory is MemoryMode.ASYNC or not wanted:
            yield MemoryNoted(self._memory.value, consolidates=wanted)
            return
        for warning in slots.list_skips(ModelSlot.MEMORY):
            yield warning
        memories = prompt.state.list_memories()
        memory = TurnConsolidation(
            lambda: self._make_question(narration.conversation, slots, ModelSlot.MEMORY),
            memories,
            prompt.state.count_turns_since_compaction(memories),
        )
        message = prompt.assembly.diagnostics.preprocessed_user_message
        async for event in memory.consolidate(message, reply.text, reply.summaries):
            yield event
        yield MemoryNoted(self._memory.value, memory.notes, memory.deprecates, consolidates=wanted)

    def _make_question(
        self, conversation: Conversation, slots: TurnSlots, slot: ModelSlot
    ) -> InternalQuestion:
        opened = slots.open(slot)
        renewed = conversation.renew(deadline_s=self._timeout_ms / 1000, model=opened.model)
        return InternalQuestion(renewed, build_sampler(opened.params))

    def _open_tools(self, narration: ReplySource, attempt: int) -> NarratorTools:
        permissions = narration.turn.tools
        writes = () if permissions is None else narration.sent.writes
        return NarratorTools(
            narration.context,
            {} if permissions is None else self._toolbox.offer_tools(permissions),
            permissions or ToolPermissions(),
            turn=self._toolbox.open_turn(narration.context, narration.prompt, writes),
            attempt=attempt,
        )

    async def _build_prompt(self, run: ClaimedRun, turn: TurnInput) -> TurnPrompt:
        position = PromptPosition(
            run.account_id,
            run.session_id,
            turn.branch,
            before_turn=run.turn_id if run.is_retry else run.replaces,
            drops_later=run.input.replaces_later,
        )
        query = PromptQuery(run.input.text, turn.intent, turn.policy, origin=turn.origin)
        try:
            return await self._prompts.build_turn(position, query, _RUN_KINDS[turn.kind])
        except PromptTooLarge:
            raise PromptTooLong(413) from None
        except UserMessageErased as erased:
            raise AgentRefused(FailureReason.INPUT_ERASED, str(erased)) from None

    def _ask_model(
        self, narration: ReplySource, tools: NarratorTools
    ) -> AsyncGenerator[RunEvent, None]:
        """Ask the model. A timeout is not retried: the reply would come late."""
        prompt = narration.prompt
        own_timeout_ms = read_timeout_ms(prompt)
        timeout_ms = own_timeout_ms or self._timeout_ms
        conversation = narration.conversation.renew(deadline_s=timeout_ms / 1000)
        loop = ToolLoop(
            conversation,
            list(map(_to_chat_message, prompt.assembly.messages)),
            tools.use,
            tools=tools.specs,
            max_rounds=tools.max_steps,
            events=ReplyEvents.TEXT,
            joins_text=True,
            sampler=choose_sampler(
                prompt, narration.turn.sampling, narration.slots.open(ModelSlot.NARRATOR).params
            ),
        )
        events = _ask_until_answer(loop, conversation)
        return events if own_timeout_ms is None else raise_on_silence(events, own_timeout_ms)


async def _ask_director(
    question: InternalQuestion, slots: TurnSlots, prompt: TurnPrompt
) -> AsyncIterator[RunEvent]:
    """Ask for advice; without any the reply does without it, and the turn says so."""
    if not slots.is_enabled(ModelSlot.DIRECTOR):
        yield warn_disabled(ModelSlot.DIRECTOR)
        return
    for warning in slots.list_skips(ModelSlot.DIRECTOR):
        yield warning
    async for event in ask_director(question, prompt.assembly.messages):
        yield event
    if parse_advice(question.reply) is None:
        yield DIRECTOR_FAILED


async def _ask_until_answer(
    loop: ToolLoop, conversation: Conversation
) -> AsyncGenerator[RunEvent, None]:
    """Ask until the model answers; after its last round of tools it is asked without them."""
    async for event in loop.run():
        yield event
    if loop.is_exhausted:
        loop.allow_answer()
        async for event in loop.run():
            yield event
        if conversation.reply.calls:
            raise AnswerEmpty


def _take_recorded_prompt(steps: CompletedSteps) -> PromptSent | None:
    """The prompt that an earlier attempt of the run sent."""
    record = steps.take_outcome()
    if record is not None and not isinstance(record, PromptSent):
        raise StepsDiverged
    return record


def _repeat_prompt(prompt: TurnPrompt, sent: PromptSent) -> TurnPrompt:
    """The prompt with the messages that were sent, whatever its macros would draw now."""
    if sent.digest == prompt.assembly.snapshot.prompt_digest:
        return prompt
    messages = decompress_record(sent.record).messages
    return replace(prompt, assembly=replace(prompt.assembly, messages=messages))


def _report_phase(context: RunContext, phase: TurnPhase) -> Progressed:
    return Progressed(phase.value, at_ms=int(context.clock().timestamp() * 1000))


def _make_sent_prompt(prompt: TurnPrompt) -> PromptSent:
    result, record = prompt.assembly, make_record(prompt)
    staged = tuple(
        StagedWrite(
            mutation.scope, mutation.key, mutation.value, mutation.kind is MutationKind.DELETE
        )
        for mutation in result.staged_mutations
    )
    names = prompt.state.session.names
    return PromptSent(
        digest=result.snapshot.prompt_digest,
        record=compress_record(record),
        user_text=result.diagnostics.preprocessed_user_message,
        writes=select_storable(prompt.state.variables, staged),
        timers=tuple(timers_to_json(result.lore_timers)),
        timers_before=tuple(prompt.state.timers),
        user=names.user,
        character=names.character or "",
    )


def _to_chat_message(message: PromptMessage) -> ChatMessage:
    return ChatMessage(_ROLES[message.role], message.content)
