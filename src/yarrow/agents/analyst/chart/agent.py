"""The analyst: explores tables with tools and takes one action after the other.

A run pauses when the analyst asks, explains or hands over. The turn that answers the pause
continues from the messages of the session; no other state is stored.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import assert_never

from msgspec.structs import replace

from yarrow.agents.analyst.chart.actions import (
    Clarify,
    Delegate,
    Explain,
    Summarise,
    UnknownAction,
    UnusableReply,
    Visualize,
)
from yarrow.agents.analyst.chart.choose_action import MAX_ROUNDS, ActionChoice, Decision
from yarrow.agents.analyst.chart.make_chart import ChartStep, announce_chart
from yarrow.agents.analyst.chart.prompt import (
    FORMAT_ONLY,
    build_prompt,
    select_path,
    split_tables,
)
from yarrow.agents.analyst.chart.transcript import (
    DESCRIBED,
    MADE,
    TRANSCRIPT,
    write_transcript,
)
from yarrow.agents.analyst.input import AnalystInput, read_input
from yarrow.agents.analyst.prompt import use_question_language
from yarrow.agents.analyst.workspace import AnalystWorkspace, AnalystWorkspaces, TableSummary
from yarrow.agents.conversation.conversation import Conversation, start_conversation
from yarrow.agents.conversation.reply import BY_RULES
from yarrow.journal.events import (
    MessageFinished,
    MessageStarted,
    Progressed,
    RunEvent,
    StepFailed,
    TextDelta,
    Warned,
)
from yarrow.journal.steps import StepsDiverged
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.kit.signing import HmacSigner
from yarrow.llm.errors import AnswerEmpty, AnswerUnusable
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.product_events.analyst import (
    AnalysisSummary,
    ChartResult,
    Clarification,
    Delegation,
    EndingProduct,
    Explanation,
    RoundsExhausted,
)
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec
from yarrow.sessions.model import Message

DEADLINE_S = 600
STEP_FAILED = "CHART_STEP_FAILED"
UNKNOWN_ACTION = "UNKNOWN_ACTION"

EXHAUSTED = "I looked at the data for a long time without coming to an answer. How shall I go on?"
EXHAUSTED_OPTIONS = ("Continue", "Simplify the task", "Summarise what was found")
LIMIT_REACHED = "The analysis stopped at its limit of steps."


class Analyst:
    """Answers questions about tables with charts."""

    def __init__(
        self, workspaces: AnalystWorkspaces, signer: HmacSigner, *, has_model: bool
    ) -> None:
        self.spec = AgentSpec(
            name="analyst", price=0, deadline_s=DEADLINE_S, discard=workspaces.discard_unused_tables
        )
        self._workspaces, self._signer, self._has_model = workspaces, signer, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        builds_on = read_input(context.run.input).builds_on
        context = replace(context, history=select_path(context.history, builds_on))
        analyst_input = read_input(context.run.input, context.history)
        async with self._workspaces.open(context, analyst_input) as workspace:
            yield Progressed("building_context")
            tables = await workspace.summarise()
            question = context.run.input.text
            analyst_input = use_question_language(
                analyst_input, question, tables, history=context.history
            )
            if self._has_model or context.run.input.model:
                events = self._make_turn(context, analyst_input, workspace, tables).run()
            else:
                yield BY_RULES
                draw_offline_chart = await asyncio.to_thread(_import_offline_chart)
                events = draw_offline_chart(
                    context,
                    workspace,
                    tables=tables,
                    signer=self._signer,
                    language=analyst_input.chart_language,
                    has_thread=bool(analyst_input.focused_thread or context.history),
                )
            async for event in events:
                yield event

    def _make_turn(
        self,
        context: RunContext,
        analyst_input: AnalystInput,
        workspace: AnalystWorkspace,
        tables: Sequence[TableSummary],
    ) -> "AnalystTurn":
        python = workspace.can_run_python
        return AnalystTurn(
            context,
            analyst_input,
            conversation=start_conversation(context, self.spec),
            workspace=workspace,
            messages=build_prompt(context, analyst_input, tables, can_run_python=python),
            described=[table.name for table in split_tables(context.history, tables)[0]],
            signer=self._signer,
            steps=max(
                analyst_input.client_steps,
                analyst_input.completed_steps + count_charts(context.history),
            ),
        )


def _import_offline_chart() -> Callable[..., AsyncIterator[RunEvent]]:
    # The patterns that read questions take 80 ms, and a server with a model needs none of them.
    from yarrow.agents.analyst.chart.offline_chart import draw_offline_chart  # noqa: PLC0415

    return draw_offline_chart


class AnalystTurn:
    """One run of the analyst, from its first look to its pause or its summary.

    `steps` counts the charts of the turns before; iterations are counted from there.
    """

    def __init__(
        self,
        context: RunContext,
        analyst_input: AnalystInput,
        *,
        conversation: Conversation,
        workspace: AnalystWorkspace,
        messages: list[ChatMessage],
        described: Sequence[str],
        signer: HmacSigner,
        steps: int,
    ) -> None:
        self._context, self._input = context, analyst_input
        self._conversation, self._workspace, self._signer = conversation, workspace, signer
        self._messages, self._steps = messages, steps
        self._described, self._question_at = described, len(messages) - 1
        self._iteration = steps
        self._was_unusable = False
        self._is_over = False
        self._reasoning: str | None = None

    async def run(self) -> AsyncIterator[RunEvent]:
        while self._iteration < self._input.max_iterations:
            yield Progressed("thinking")
            choice = self._make_action_choice()
            async for event in choice.decide():
                yield event
            decision = choice.decision
            self._reasoning = decision.reasoning
            for event in self._make_narration(decision.narration):
                yield event
            async for event in self._perform_action(decision):
                yield event
            if self._is_over:
                return
        for event in self._make_last_message({"action": "summary", "summary": LIMIT_REACHED}):
            yield event
        yield AnalysisSummary(self._iteration, LIMIT_REACHED, self._steps, limit_reached=True)

    def _make_action_choice(self) -> ActionChoice:
        return ActionChoice(self._context, self._conversation, self._workspace, self._messages)

    async def _perform_action(self, decision: Decision) -> AsyncIterator[RunEvent]:
        match decision.action:
            case UnusableReply() as reply:
                yield self._ask_again(reply)
            case Visualize() as action:
                self._iteration, self._was_unusable = self._iteration + 1, False
                async for event in self._run_chart_step(ChartStep(action, decision.raw)):
                    yield event
            case UnknownAction(name):
                self._iteration += 1
                self._add_user_message(f"There is no action {name}. {FORMAT_ONLY}")
                yield Warned(UNKNOWN_ACTION, "The model asked for a step that does not exist.")
            case Clarify() | Explain() | Delegate() | Summarise() | None as action:
                self._iteration, self._is_over = self._iteration + 1, True
                own_action = {} if decision.raw else _make_exhausted_action()
                for event in self._make_last_message(own_action, decision.raw):
                    yield event
                yield self._build_ending(action)

    def _ask_again(self, reply: UnusableReply) -> RunEvent:
        """A reply that cannot be used gets one more try, which costs no iteration."""
        if self._was_unusable:
            raise AnswerEmpty if reply.is_empty else AnswerUnusable(self._iteration + 1)
        self._was_unusable = True
        self._add_user_message(f"{reply.reason}. {FORMAT_ONLY}")
        return Progressed("retrying_answer")

    def _build_ending(
        self, action: Clarify | Explain | Delegate | Summarise | None
    ) -> EndingProduct:
        iteration, steps = self._iteration, self._steps
        match action:
            case None:
                return RoundsExhausted(iteration, MAX_ROUNDS, EXHAUSTED, EXHAUSTED_OPTIONS, steps)
            case Clarify(thought, questions):
                return Clarification(iteration, thought, questions, steps)
            case Explain(thought, text, follow_ups):
                return Explanation(iteration, thought, text, follow_ups, steps)
            case Delegate(thought, target, options, message):
                return Delegation(iteration, thought, target, options, message, steps)
            case Summarise(thought, summary):
                return AnalysisSummary(iteration, summary, steps, thought)
            case _:
                assert_never(action)

    async def _run_chart_step(self, step: ChartStep) -> AsyncIterator[RunEvent]:
        yield announce_chart(step.action, self._iteration)
        yield Progressed("running_code")
        async for event in self._make_chart(step):
            yield event
        for _ in range(self._input.max_repairs):
            if not step.error:
                break
            yield Progressed("repairing")
            async for event in step.repair(self._messages, self._make_action_choice()):
                yield event
            if not step.error:
                async for event in self._make_chart(step):
                    yield event
        observation = step.observation()
        self._add_user_message(observation)
        if step.chart is None:
            yield Warned(STEP_FAILED, f"This chart could not be made: {step.error}")
        else:
            self._steps += 1
            question = step.action.instruction or self._context.run.input.text
            yield ChartResult(self._iteration, question, step.chart)
        output: JsonObject = {"action": step.raw, "observed": observation}
        if step.chart is not None:
            output |= {"charted": True, MADE: step.chart.table_name}
        for event in self._make_message(output):
            yield event

    async def _make_chart(self, step: ChartStep) -> AsyncIterator[RunEvent]:
        """Make the chart, unless an earlier attempt of the run did; a failure is recorded."""
        match self._context.steps.take_outcome():
            case ChartResult(chart=chart):
                step.chart, step.error = chart, ""
                await self._workspace.restore(chart.table_name)
            case StepFailed(error):
                step.error = error
            case None:
                language = self._input.chart_language
                await step.make(self._workspace, signer=self._signer, language=language)
            case _:
                raise StepsDiverged
        if step.error:
            yield StepFailed(step.error)

    def _add_user_message(self, text: str) -> None:
        self._messages.append(ChatMessage(ChatRole.USER, text))

    def _make_narration(self, text: str) -> list[RunEvent]:
        if not text:
            return []
        message_id = str(self._context.new_id())
        delta = TextDelta(message_id, text)
        return [MessageStarted(message_id), delta, MessageFinished(message_id)]

    def _make_last_message(
        self, own_action: JsonObject, action: JsonObject | None = None
    ) -> list[RunEvent]:
        """The last action of the run, with the exact messages of the run.

        `own_action` is ours, not the model's: it joins the conversation as if the model took it.
        """
        if own_action:
            text = encode_json(own_action).decode()
            self._messages.append(ChatMessage(ChatRole.ASSISTANT, text))
        transcript = write_transcript(self._messages[self._question_at :])
        described: list[JsonValue] = [*self._described]
        private: JsonObject = {DESCRIBED: described, TRANSCRIPT: transcript}
        return self._make_message({"action": action or own_action}, private)

    def _make_message(
        self, output: JsonObject, private: JsonObject | None = None
    ) -> list[RunEvent]:
        """The action as a message of the session, from which later turns build their prompt."""
        message_id = str(self._context.new_id())
        finished = MessageFinished(message_id, output, self._reasoning, private or {})
        return [MessageStarted(message_id), finished]


def _make_exhausted_action() -> JsonObject:
    question = {"text": EXHAUSTED, "options": list(EXHAUSTED_OPTIONS)}
    return {"action": "clarify", "thought": "", "questions": [question]}


def count_charts(history: Sequence[Message]) -> int:
    """How many charts these turns made."""
    outputs = (message.details.output or {} for message in history)
    return sum(1 for output in outputs if output.get("charted"))
