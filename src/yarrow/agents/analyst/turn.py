"""The outer loop: one action after the other, each told as it happens."""

from collections.abc import AsyncIterator, Sequence
from typing import assert_never

from yarrow.agents.analyst.actions import (
    Clarify,
    Delegate,
    Explain,
    NoAction,
    Summarise,
    Visualize,
)
from yarrow.agents.analyst.input import AnalystInput
from yarrow.agents.analyst.next_action import NextAction, Taken
from yarrow.agents.analyst.prompt import FAILED, FORMAT_ONLY, OBSERVED, REPAIR, clipped
from yarrow.agents.analyst.signing import CodeSigner
from yarrow.agents.analyst.visualize import charted
from yarrow.errors import AnswerUnusable
from yarrow.json_values import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.runs.agent import RunContext
from yarrow.runs.desk import CodeFailed, Desk
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
OBSERVED_ROWS = 3
UNREADABLE_RETRIES = 1

EXHAUSTED: JsonObject = {
    "text": "I looked at the data for a long time without coming to an answer. How shall I go on?",
    "text_code": "agent.clarifyExhausted",
    "responseType": "single_choice",
    "options": [
        {"label": "Continue", "label_code": "agent.clarifyOptionContinue"},
        {"label": "Simplify the task", "label_code": "agent.clarifyOptionSimplify"},
        {"label": "Summarise what was found", "label_code": "agent.clarifyOptionSummary"},
    ],
    "required": True,
}


def steps_of(history: Sequence[Message]) -> int:
    """How many charts the session has made so far."""
    outputs = (message.metadata.get("agent_output", {}) for message in history)
    return sum(1 for output in outputs if output.get("charted"))


class AnalystTurn:
    """One run of the analyst, from its first look to its pause or its summary."""

    def __init__(
        self,
        context: RunContext,
        given: AnalystInput,
        *,
        desk: Desk,
        messages: list[ChatMessage],
        sign: CodeSigner,
        steps: int,
    ) -> None:
        self._context, self._given, self._desk, self._sign = context, given, desk, sign
        self._messages, self._steps = messages, steps
        self._iteration = steps
        self._unreadable = 0
        self._call_ids: set[str] = set()

    async def run(self) -> AsyncIterator[RunEvent]:
        while self._iteration < self._given.max_iterations:
            yield Progressed("thinking")
            taken = Taken()
            async for event in self._next(taken):
                yield event
            self._iteration += 1
            for event in self._narrated(taken.narration):
                yield event
            async for event in self._act(taken):
                yield event
            if not isinstance(taken.action, Visualize | NoAction):
                return
        for event in self._completed("max_iterations", Summarise("", "")):
            yield event

    async def _next(self, taken: Taken) -> AsyncIterator[RunEvent]:
        finding = NextAction(
            self._context.model,
            self._desk,
            self._messages,
            new_id=self._context.new_id,
            call_ids=self._call_ids,
        )
        async for event in finding.find(taken):
            yield event

    async def _act(self, taken: Taken) -> AsyncIterator[RunEvent]:
        match taken.action:
            case Visualize() as step:
                async for event in self._visualize(step, taken):
                    yield event
            case NoAction() as none:
                for event in self._retry_or_give_up(none):
                    yield event
            case None:
                for event in self._paused("clarify", {"thought": "", "questions": [EXHAUSTED]}):
                    yield event
            case Clarify(thought, questions):
                said = {"thought": thought, "questions": questions}
                for event in self._paused("clarify", said, raw=taken.raw):
                    yield event
            case Explain(thought, questions):
                said = {"thought": thought, "questions": questions}
                for event in self._paused("explain", said, raw=taken.raw):
                    yield event
            case Delegate() as handed:
                for event in self._paused("delegate", _delegated(handed), raw=taken.raw):
                    yield event
            case Summarise() as summary:
                for event in self._completed("success", summary, raw=taken.raw):
                    yield event
            case _:
                assert_never(taken.action)

    async def _visualize(self, step: Visualize, taken: Taken) -> AsyncIterator[RunEvent]:
        yield Produced("action", self._announced(step))
        yield Progressed("running_code")
        result, error = await self._tried(step)
        for _ in range(self._given.max_repairs):
            if result is not None:
                break
            yield Progressed("repairing")
            mended = await self._mended(error)
            if mended is None:
                break
            step = mended
            result, error = await self._tried(step)
        observed = self._observe(step, result, error)
        if result is None:
            yield Warned(STEP_FAILED, f"This chart could not be made: {error}")
        else:
            self._steps += 1
            content = {"question": step.instruction or self._context.run.input.text}
            yield Produced(
                "result",
                {
                    "iteration": self._iteration,
                    "status": "success",
                    "content": {**content, "result": result},
                },
            )
        for event in self._kept(taken.raw, observed=observed, charted=result is not None):
            yield event

    async def _tried(self, step: Visualize) -> tuple[JsonObject | None, str]:
        try:
            return await charted(self._desk, step, self._sign), ""
        except CodeFailed as failure:
            return None, str(failure)

    async def _mended(self, error: str) -> Visualize | None:
        """Another chart step for one that failed; nothing else counts, and nothing is said."""
        self._messages.append(ChatMessage(ChatRole.USER, REPAIR.format(error=error)))
        taken = Taken()
        async for _event in self._next(taken):
            pass
        return taken.action if isinstance(taken.action, Visualize) else None

    def _observe(self, step: Visualize, result: JsonObject | None, error: str) -> str:
        """What came of the step, told to the model."""
        if result is None:
            observed = FAILED.format(instruction=step.instruction, error=error)
        else:
            rows = result["content"]["rows"]
            sample = [clipped(row) for row in rows[:OBSERVED_ROWS]]
            observed = OBSERVED.format(
                instruction=step.instruction,
                rows=result["content"]["virtual"]["row_count"],
                columns=", ".join(result["refined_goal"]["output_fields"]),
                sample=encode_json(sample).decode(),
            )
        self._messages.append(ChatMessage(ChatRole.USER, observed))
        return observed

    def _retry_or_give_up(self, none: NoAction) -> list[RunEvent]:
        """An unknown action is told and gone on from; an unreadable answer gets one more try."""
        if none.is_known or not none.name:
            self._unreadable += 1
            if self._unreadable > UNREADABLE_RETRIES:
                raise AnswerUnusable
        self._messages.append(ChatMessage(ChatRole.USER, f"{none.reason}. {FORMAT_ONLY}"))
        if none.is_known or not none.name:
            return [Progressed("retrying_answer")]
        return [Warned(UNKNOWN_ACTION, "The model asked for a step that does not exist.")]

    def _announced(self, step: Visualize) -> JsonObject:
        return {
            "iteration": self._iteration,
            "action": "visualize",
            "thought": step.thought,
            "display_instruction": step.instruction,
            "input_tables": list(step.input_tables),
        }

    def _paused(
        self, kind: str, said: JsonObject, *, raw: JsonObject | None = None
    ) -> list[RunEvent]:
        paused = Produced(kind, {"iteration": self._iteration, **said, **self._resume()})
        return [*self._kept(raw or {"action": kind, **said}), paused]

    def _resume(self) -> JsonObject:
        return {"completed_step_count": self._steps}

    def _completed(
        self, status: str, summary: Summarise, *, raw: JsonObject | None = None
    ) -> list[RunEvent]:
        content: JsonObject = {"summary": summary.summary, "total_steps": self._steps}
        if summary.thought:
            content["thought"] = summary.thought
        if not summary.summary:
            content["summary"] = "The analysis stopped at its limit of steps."
            content["summary_code"] = "agent.maxIterationsSummary"
        said = {"iteration": self._iteration, "status": status, "content": content}
        done = Produced("completion", said)
        return [*self._kept(raw or {"action": "summary", **content}), done]

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
        self, action: JsonObject | None, *, observed: str = "", charted: bool = False
    ) -> list[RunEvent]:
        """The action as a message of the session: what the next turn remembers."""
        message_id = str(self._context.new_id())
        output: JsonObject = {"action": action or {}}
        if observed:
            output["observed"] = observed
        if charted:
            output["charted"] = True
        return [MessageStarted(message_id), MessageFinished(message_id, output)]


def _delegated(handed: Delegate) -> JsonObject:
    said: JsonObject = {
        "thought": handed.thought,
        "target": handed.target,
        "options": handed.options,
    }
    if handed.message:
        said["message"] = handed.message
    return said
