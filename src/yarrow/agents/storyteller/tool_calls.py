"""Run the tools that the narrator calls, within the session's bounds; effects are staged."""

import asyncio
from collections.abc import AsyncIterator, Mapping

from msgspec import Struct

from yarrow.agents.conversation.conversation import ParsedCall, ToolRound
from yarrow.journal.events import RunEvent
from yarrow.journal.steps import StepsDiverged
from yarrow.kit.json import encode_json
from yarrow.llm.model import ToolSpec
from yarrow.product_events.story_tools import (
    ExecutionStatus,
    StoryToolFinished,
    StoryToolStarted,
)
from yarrow.runs.agent import RunContext
from yarrow.stories.session_state_rules import ReplaySafety
from yarrow.stories.tools.errors import ReplyNotRepeatable
from yarrow.stories.tools.model import StagedEffects, ToolTurn
from yarrow.stories.tools.permissions import ToolPermissions
from yarrow.stories.tools.replay_rules import CallFacts, rate_call
from yarrow.stories.tools.toolbox import CatalogTool
from yarrow.tools.arguments import make_printable
from yarrow.tools.model import ToolError

RESULT_CHARS = 16_000
ARGUMENT_CHARS = 100_000
NAME_CHARS = 100
NO_PROVIDER = "unknown"


class _CallResult(Struct, frozen=True):
    status: ExecutionStatus
    result: str
    message: str
    effects: StagedEffects


class NarratorTools:
    """The tools of one reply, and the calls that it made of them."""

    def __init__(
        self,
        context: RunContext,
        offered: Mapping[str, CatalogTool],
        permissions: ToolPermissions,
        *,
        turn: ToolTurn,
        attempt: int,
    ) -> None:
        self._context, self._offered, self._permissions = context, offered, permissions
        self._turn, self._attempt = turn, attempt
        self._calls: list[StoryToolFinished] = []

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        tools = (each.tool for each in self._offered.values())
        return tuple(ToolSpec(tool.name, tool.description, tool.parameters) for tool in tools)

    @property
    def max_steps(self) -> int:
        return self._permissions.max_steps_per_generation if self._offered else 1

    async def use(self, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        """Answer every call of a reply; one that fails tells the model why."""
        for parsed in tool_round.calls:
            finished = self._take_record(parsed)
            execution_id = (
                str(self._context.new_id()) if finished is None else finished.execution_id
            )
            yield self._make_start(parsed.call.name, execution_id)
            if finished is None:
                finished = await self._run_call(parsed, execution_id)
            self._calls.append(finished)
            yield finished
            tool_round.answer(parsed.call, finished.result)

    def require_repeatable(self) -> None:
        """Raise if the reply cannot be generated again because of what it called."""
        for call in self._calls:
            facts = CallFacts(call.tool_name, call.provider_type, call.side_effect, call.status)
            if rate_call(facts)[0] is not ReplaySafety.SAFE:
                raise ReplyNotRepeatable

    def _take_record(self, parsed: ParsedCall) -> StoryToolFinished | None:
        """What an earlier attempt of the run recorded of this call; its effects are staged."""
        record = self._context.steps.take_outcome()
        if record is None:
            return None
        if not isinstance(record, StoryToolFinished) or record.call_id != parsed.call.id:
            raise StepsDiverged
        self._turn.effects.extend(record.writes, record.changes)
        return record

    def _make_start(self, name: str, execution_id: str) -> StoryToolStarted:
        known = self._offered.get(name)
        if known is None:
            shown = make_printable(name)[:NAME_CHARS]
            return StoryToolStarted(execution_id, shown, NO_PROVIDER, NO_PROVIDER)
        provider, side_effect = known.provider, known.tool.side_effect
        return StoryToolStarted(execution_id, name, provider.id, provider.type, side_effect)

    async def _run_call(self, parsed: ParsedCall, execution_id: str) -> StoryToolFinished:
        clock, start = asyncio.get_running_loop().time, self._make_start(parsed.call.name, "")
        began = clock()
        result = await self._call_tool(parsed)
        return StoryToolFinished(
            execution_id=execution_id,
            call_id=parsed.call.id,
            tool_name=start.tool_name,
            provider_id=start.provider_id,
            provider_type=start.provider_type,
            side_effect=start.side_effect,
            arguments=parsed.call.arguments[:ARGUMENT_CHARS],
            status=result.status,
            result=_truncate_result(result.result),
            message=result.message,
            duration_ms=round((clock() - began) * 1000),
            attempt=self._attempt,
            writes=tuple(result.effects.writes),
            changes=tuple(result.effects.changes),
        )

    async def _call_tool(self, parsed: ParsedCall) -> _CallResult:
        if refusal := self._refuse_call(parsed):
            return _CallResult(ExecutionStatus.DENIED, refusal, refusal, StagedEffects())
        effects = self._turn.effects
        before = (len(effects.writes), len(effects.changes))
        try:
            if parsed.arguments is None:
                raise ToolError("arguments must be a JSON object")
            output = await self._offered[parsed.call.name].tool.call(parsed.arguments, self._turn)
        except ToolError as error:
            effects.cut(*before)
            return _CallResult(ExecutionStatus.ERROR, str(error), str(error), StagedEffects())
        own = StagedEffects(effects.writes[before[0] :], effects.changes[before[1] :])
        text = encode_json(output.data).decode()
        return _CallResult(ExecutionStatus.SUCCESS, text, output.message, own)

    def _refuse_call(self, parsed: ParsedCall) -> str:
        """Why a call is not run; empty if it is."""
        limit = self._permissions.max_calls_per_turn
        if len(self._calls) >= limit:
            return f"a turn allows {limit} tool calls; answer with what you have"
        if parsed.call.name not in self._offered:
            known = ", ".join(self._offered) or "none"
            name = make_printable(parsed.call.name)[:NAME_CHARS]
            return f"there is no tool {name}; known: {known}"
        return ""


def _truncate_result(text: str) -> str:
    """The text, cut to what a prompt can hold; a note in it tells the model."""
    if len(text) <= RESULT_CHARS:
        return text
    return f"{text[:RESULT_CHARS]}… (cut; {len(text)} characters in all)"
