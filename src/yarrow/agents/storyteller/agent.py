"""The storyteller: builds the prompt of the next turn, asks the model, keeps summaries apart."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from enum import StrEnum
from itertools import count

from yarrow.agents.conversation.conversation import Conversation
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.agents.storyteller.modules import (
    DIRECTOR_FAILED,
    VERIFIER_FAILED,
    ModuleQuestion,
    ask_director,
    ask_verifier,
    decide,
    direct_prompt,
    parse_advice,
    parse_verdict,
)
from yarrow.agents.storyteller.remember import TurnConsolidation
from yarrow.agents.storyteller.reply_events import StoryReplyEvents, limit_silence
from yarrow.agents.storyteller.sampling import choose_sampler, read_timeout_ms
from yarrow.journal.events import Progressed, RunEvent, Warned
from yarrow.llm.errors import AnswerUnusable, PromptTooLong
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole
from yarrow.product_events.story import (
    MemoryNoted,
    PromptSent,
    ReplyRejected,
    StagedWrite,
    StoryReply,
    VerifierReport,
    VerifierStatus,
)
from yarrow.prompting.assembly import RunKind
from yarrow.prompting.errors import PromptTooLarge
from yarrow.prompting.macros import MutationKind
from yarrow.prompting.model import PromptMessage, PromptRole
from yarrow.prompting.worldbook import timers_to_json
from yarrow.runs.agent import RunContext
from yarrow.runs.finish import read_until_finish
from yarrow.runs.model import AgentSpec, ClaimedRun
from yarrow.settings import MemoryMode
from yarrow.stories.commit import commit_turn
from yarrow.stories.prompt_record import compress_record, make_record
from yarrow.stories.prompts import PromptPosition, PromptQuery, StoryPrompts, TurnPrompt
from yarrow.stories.turn_input import TurnInput, TurnKind, parse_turn_input
from yarrow.stories.turn_state import EntryScope, VariableEntry, select_storable
from yarrow.variables.model import Scope

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


class Storyteller:
    """Answers turns of stories. What it writes is staged in its events and stored by `commit`."""

    def __init__(
        self,
        prompts: StoryPrompts,
        *,
        price: int,
        timeout_ms: int,
        memory: MemoryMode = MemoryMode.SYNC,
    ) -> None:
        self.spec = AgentSpec(
            name=STORYTELLER,
            price=price,
            deadline_s=DEADLINE_S,
            commit=commit_turn,
            reads_history=False,
            answers_stories=True,
        )
        self._prompts, self._timeout_ms, self._memory = prompts, timeout_ms, memory

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        run = context.run
        turn = parse_turn_input(run.input.options)
        if run.input.images or run.input.tools or run.input.context:
            yield INPUT_IGNORED
        yield _report(TurnPhase.RESOLVED)
        prompt = await self._build_prompt(run, turn)
        yield _report(TurnPhase.CHECKED)
        if turn.modules.has_director:
            question = self._make_question(context)
            async for event in ask_director(question, prompt.assembly.messages):
                yield event
            advice = parse_advice(question.reply)
            if advice is None:
                yield DIRECTOR_FAILED
            else:
                prompt = direct_prompt(prompt, advice)
        sent = _make_sent_prompt(prompt)
        yield sent
        if len(sent.writes) < len(prompt.assembly.staged_mutations):
            yield WRITES_DROPPED
        yield _report(TurnPhase.ASSEMBLED)
        reply = StoryReply("")
        async with aclosing(self._tell(context, prompt, turn)) as events:
            async for event in events:
                reply = event if isinstance(event, StoryReply) else reply
                yield event
        if self._memory is not MemoryMode.OFF:
            async for event in self._remember(context, prompt, turn, reply):
                yield event
        for phase in (TurnPhase.VERIFIED, TurnPhase.PREPARED):
            yield _report(phase)

    async def _tell(
        self, context: RunContext, prompt: TurnPrompt, turn: TurnInput
    ) -> AsyncGenerator[RunEvent, None]:
        """Generate the reply, again if the verifier rejects it and the turn allows it."""
        for attempt in count(1):
            yield _report(TurnPhase.GENERATING)
            reply = StoryReplyEvents(self._prompts, prompt, is_held=turn.modules.holds_reply)
            async with aclosing(self._read_reply(context, prompt, turn, reply)) as events:
                async for event in events:
                    yield event
            yield _report(TurnPhase.GENERATED)
            if not turn.modules.has_verifier:
                return
            if reply.was_stopped:
                yield VerifierReport(VerifierStatus.SKIPPED)
                break
            question = self._make_question(context)
            async for event in ask_verifier(question, prompt.assembly.messages, reply.text):
                yield event
            if question.reply is None:
                yield VERIFIER_FAILED
            decision = decide(parse_verdict(question.reply), turn.modules, attempt)
            yield decision.report
            if decision.is_accepted:
                break
            if not decision.is_repeated:
                raise AnswerUnusable(attempt)
            yield ReplyRejected()
        for event in reply.release():
            yield event

    async def _read_reply(
        self, context: RunContext, prompt: TurnPrompt, turn: TurnInput, reply: StoryReplyEvents
    ) -> AsyncGenerator[RunEvent, None]:
        asking = read_until_finish(self._ask(context, prompt, turn), context.finish)
        async with aclosing(asking) as events:
            async for event in events:
                async for story_event in reply.convert(event):
                    yield story_event
        async for story_event in reply.finish_early(context.model.name):
            yield story_event

    async def _remember(
        self, context: RunContext, prompt: TurnPrompt, turn: TurnInput, reply: StoryReply
    ) -> AsyncIterator[RunEvent]:
        """Note what the turn remembers. A reply that was stopped is not consolidated."""
        wanted = turn.modules.consolidates and not context.finish.is_requested
        if self._memory is MemoryMode.ASYNC or not wanted:
            yield MemoryNoted(self._memory.value, consolidates=wanted)
            return
        memory = TurnConsolidation(
            lambda: self._make_question(context), prompt.state.list_memories()
        )
        message = prompt.assembly.diagnostics.preprocessed_user_message
        async for event in memory.consolidate(message, reply.text, reply.summaries):
            yield event
        yield MemoryNoted(self._memory.value, memory.notes, memory.deprecates, consolidates=wanted)

    def _make_question(self, context: RunContext) -> ModuleQuestion:
        deadline_s = self._timeout_ms / 1000
        return ModuleQuestion(Conversation(context.model, context.new_id, deadline_s=deadline_s))

    async def _build_prompt(self, run: ClaimedRun, turn: TurnInput) -> TurnPrompt:
        position = PromptPosition(
            run.account_id,
            run.session_id,
            turn.branch,
            before_turn=run.turn_id if run.is_retry else run.replaces,
        )
        query = PromptQuery(run.input.text, turn.intent, turn.policy, origin=turn.origin)
        try:
            return await self._prompts.build_turn(position, query, _RUN_KINDS[turn.kind])
        except PromptTooLarge:
            raise PromptTooLong(413) from None

    def _ask(
        self, context: RunContext, prompt: TurnPrompt, turn: TurnInput
    ) -> AsyncGenerator[RunEvent, None]:
        """Ask the model. One that stays silent is not asked again: the reply would come late."""
        own_timeout_ms = read_timeout_ms(prompt)
        timeout_ms = own_timeout_ms or self._timeout_ms
        conversation = Conversation(context.model, context.new_id, deadline_s=timeout_ms / 1000)
        request = ChatRequest(
            tuple(map(_to_chat_message, prompt.assembly.messages)),
            sampler=choose_sampler(prompt, turn.sampling),
        )
        events = conversation.ask(request, ReplyEvents.TEXT)
        return events if own_timeout_ms is None else limit_silence(events, own_timeout_ms)


def _report(phase: TurnPhase) -> Progressed:
    return Progressed(phase.value)


def _make_sent_prompt(prompt: TurnPrompt) -> PromptSent:
    result, record = prompt.assembly, make_record(prompt)
    staged = tuple(
        StagedWrite(
            mutation.scope, mutation.key, mutation.value, mutation.kind is MutationKind.DELETE
        )
        for mutation in result.staged_mutations
    )
    present = {
        (scope, key): VariableEntry(value)
        for scope, values in (
            (EntryScope.BRANCH, prompt.state.variables.get(Scope.BRANCH)),
            (EntryScope.GLOBAL, prompt.state.variables.get(Scope.GLOBAL)),
        )
        for key, value in values.items()
    }
    return PromptSent(
        digest=result.snapshot.prompt_digest,
        record=compress_record(record),
        user_text=result.diagnostics.preprocessed_user_message,
        writes=select_storable(present, staged),
        timers=tuple(timers_to_json(result.lore_timers)),
        timers_before=tuple(prompt.state.timers),
    )


def _to_chat_message(message: PromptMessage) -> ChatMessage:
    return ChatMessage(_ROLES[message.role], message.content)
