"""The outer loop: one action after the other, each told as it happens."""

from collections.abc import AsyncIterator, Sequence
from typing import assert_never

from yarrow.agents.analyst.chart.actions import (
    Clarify,
    Delegate,
    Explain,
    Summarise,
    UnknownAction,
    Unusable,
    Visualize,
)
from yarrow.agents.analyst.chart.chart_step import ChartStep
from yarrow.agents.analyst.chart.decide import MAX_ROUNDS, ActionChoice, Decision
from yarrow.agents.analyst.chart.prompt import FORMAT_ONLY
from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.workspace import AnalystWorkspace
from yarrow.agents.conversation.conversation import Conversation
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.llm.errors import AnswerEmpty, AnswerUnusable
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    Progressed,
    RunEvent,
    TextDelta,
    Warned,
)
from yarrow.sessions.model import Message

STEP_FAILED = "CHART_STEP_FAILED"
UNKNOWN_ACTION = "UNKNOWN_ACTION"

EXHAUSTED: JsonObject = {
    "text": "I looked at the data for a long time without coming to an answer. How shall I go on?",
    "responseType": "single_choice",
    "text_code": "agent.clarifyExhausted",
    "text_params": {"steps": MAX_ROUNDS},
    "options": [
        {"label": "Continue", "label_code": "agent.clarifyOptionContinue"},
        {"label": "Simplify the task", "label_code": "agent.clarifyOptionSimplify"},
        {"label": "Summarise what was found", "label_code": "agent.clarifyOptionSummary"},
    ],
    "required": True,
}
LIMIT_REACHED: JsonObject = {
    "summary": "The analysis stopped at its limit of steps.",
    "summary_code": "agent.maxIterationsSummary",
}


def steps_of(history: Sequence[Message]) -> int:
    """How many charts these turns have made."""
    outputs = (message.details.output or {} for message in history)
    return sum(1 for output in outputs if output.get("charted"))


class AnalystTurn:
    """One run of the analyst, from its first look to its pause or its summary.

    `steps` counts the charts on the way here; iterations go on from there.
    """

    def __init__(
        self,
        context: RunContext,
        given: AnalystInput,
        *,
        conversation: Conversation,
        workspace: AnalystWorkspace,
        messages: list[ChatMessage],
        sign: HmacSigner,
        steps: int,
    ) -> None:
        self._context, self._given, self._workspace, self._sign = context, given, workspace, sign
        self._messages, self._steps = messages, steps
        self._iteration = steps
        self._was_unusable = False
        self._over = False
        self._conversation = conversation
        self._reasoning = ""

    async def run(self) -> AsyncIterator[RunEvent]:
        while self._iteration < self._given.max_iterations:
            yield Progressed("thinking")
            choice = self._choice()
            async for event in choice.decide():
                yield event
            decision = choice.decision
            self._reasoning = decision.reasoning
            for event in self._narrated(decision.narration):
                yield event
            async for event in self._act(decision):
                yield event
            if self._over:
                return
        for event in self._completed("max_iterations", LIMIT_REACHED):
            yield event

    def _choice(self) -> ActionChoice:
        return ActionChoice(
            self._conversation, self._workspace, self._messages, new_id=self._context.new_id
        )

    async def _act(self, decision: Decision) -> AsyncIterator[RunEvent]:
        match decision.action:
            case Unusable() as answer:
                yield self._asked_again(answer)
            case Visualize() as action:
                self._iteration, self._was_unusable = self._iteration + 1, False
                async for event in self._visualize(ChartStep(action, decision.raw)):
                    yield event
            case UnknownAction(name):
                self._iteration += 1
                self._tell(f"There is no action {name}. {FORMAT_ONLY}")
                yield Warned(UNKNOWN_ACTION, "The model asked for a step that does not exist.")
            case Clarify() | Explain() | Delegate() | Summarise() | None as ending:
                self._iteration, self._over = self._iteration + 1, True
                for event in self._ended(ending, decision.raw):
                    yield event

    def _asked_again(self, answer: Unusable) -> RunEvent:
        """An answer that cannot be used gets one more try, and costs no iteration."""
        if self._was_unusable:
            raise AnswerEmpty if answer.is_silence else AnswerUnusable(self._iteration + 1)
        self._was_unusable = True
        self._tell(f"{answer.reason}. {FORMAT_ONLY}")
        return Progressed("retrying_answer")

    def _ended(
        self, action: Clarify | Explain | Delegate | Summarise | None, raw: JsonObject
    ) -> list[RunEvent]:
        match action:
            case None:
                said: JsonObject = {"thought": "", "questions": [EXHAUSTED]}
                return self._paused("clarify", said, raw={"action": "clarify", **said})
            case Clarify(thought, questions):
                return self._paused("clarify", {"thought": thought, "questions": questions}, raw)
            case Explain(thought, questions):
                return self._paused("explain", {"thought": thought, "questions": questions}, raw)
            case Delegate() as handed:
                return self._paused("delegate", _delegated(handed), raw)
            case Summarise(thought, summary):
                beside = {"thought": thought} if thought else {}
                return self._completed("success", {**beside, "summary": summary}, raw)
            case _:
                assert_never(action)

    async def _visualize(self, step: ChartStep) -> AsyncIterator[RunEvent]:
        yield _told("action", announced(step.action, self._iteration))
        yield Progressed("running_code")
        language = self._given.chart_language
        await step.make(self._workspace, sign=self._sign, language=language)
        for _ in range(self._given.max_repairs):
            if not step.error:
                break
            yield Progressed("repairing")
            async for event in step.repair(self._messages, self._choice()):
                yield event
            if not step.error:
                await step.make(self._workspace, sign=self._sign, language=language)
        observed = step.observed()
        self._tell(observed)
        if step.result is None:
            yield Warned(STEP_FAILED, f"This chart could not be made: {step.error}")
        else:
            self._steps += 1
            question = step.action.instruction or self._context.run.input.text
            yield _told("result", shown(step.result, question, iteration=self._iteration))
        for event in self._kept(step.raw, observed=observed, charted=step.result is not None):
            yield event

    def _tell(self, text: str) -> None:
        self._messages.append(ChatMessage(ChatRole.USER, text))

    def _paused(self, kind: str, said: JsonObject, raw: JsonObject) -> list[RunEvent]:
        steps = {"completed_step_count": self._steps}
        paused = _told(kind, {"iteration": self._iteration, **said, **steps})
        return [*self._kept(raw), paused]

    def _completed(
        self, status: str, said: JsonObject, raw: JsonObject | None = None
    ) -> list[RunEvent]:
        content = {**said, "total_steps": self._steps}
        whole = {"iteration": self._iteration, "status": status, "content": content}
        return [*self._kept(raw or {"action": "summary", **said}), _told("completion", whole)]

    def _narrated(self, words: str) -> list[RunEvent]:
        if not words:
            return []
        message_id = str(self._context.new_id())
        return [
            MessageStarted(message_id),
            TextDelta(message_id, words),
            MessageFinished(message_id),
        ]

    def _kept(
        self, action: JsonObject, *, observed: str = "", charted: bool = False
    ) -> list[RunEvent]:
        """The action as a message of the session: what the next turn remembers."""
        message_id = str(self._context.new_id())
        output: JsonObject = {"action": action}
        if observed:
            output["observed"] = observed
        if charted:
            output["charted"] = True
        return [MessageStarted(message_id), MessageFinished(message_id, output, self._reasoning)]


def announced(action: Visualize, iteration: int) -> JsonObject:
    """A chart step before it is done, as clients see it."""
    return {
        "iteration": iteration,
        "action": "visualize",
        "thought": action.thought,
        "display_instruction": action.instruction,
        "input_tables": list(action.input_tables),
    }


def shown(result: JsonObject, question: str, *, iteration: int) -> JsonObject:
    """A chart step that succeeded, as clients see it."""
    content = {"question": question, "result": result}
    return {"iteration": iteration, "status": "success", "content": content}


def _told(kind: str, value: JsonObject) -> Produced:
    return Produced(kind, value, kept=False)


def _delegated(handed: Delegate) -> JsonObject:
    said: JsonObject = {
        "thought": handed.thought,
        "target": handed.target,
        "options": handed.options,
    }
    if handed.message:
        said["message"] = handed.message
    return said
