"""The loader: talks about bringing data in, looks at files with tools, and shows what it found."""

from collections.abc import AsyncIterator, Callable
from uuid import UUID

from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.json_in_text import decode_lenient
from yarrow.agents.analyst.loader_prompt import opening, tool_specs
from yarrow.agents.analyst.loader_tools import as_model_reads, use_tool
from yarrow.agents.analyst.plain_loading import plain_loading
from yarrow.agents.reply import Reply
from yarrow.json_values import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ToolCall
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    Produced,
    Progressed,
    RunEvent,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
)
from yarrow.runs.loading_desk import LoadingDesk, LoadingDesks
from yarrow.runs.model import AgentSpec

DEADLINE_S = 600
MAX_ROUNDS = 10
"""How often the model is asked before the conversation goes back to the user."""

_CALLS = (ToolCallStarted, ToolCallArguments, ToolCallFinished)


class Loader:
    """A conversation that ends with tables to load."""

    spec = AgentSpec(name="analyst-loader", price=0, deadline_s=DEADLINE_S)

    def __init__(self, desks: LoadingDesks, *, has_model: bool) -> None:
        self._desks, self._has_model = desks, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        given = read_input(context.run.input)
        yield Progressed("building_context")
        owner = context.run.account_id
        async with self._desks.open(owner, given.workspace, row_limit=given.row_limit) as desk:
            if not self._has_model and not context.run.input.model:
                async for event in plain_loading(context, given, desk):
                    yield event
                return
            talk = _Talk(context, desk, opening(given, context.run.input.text))
            async for event in talk.run():
                yield event


class _Talk:
    """One run: what has been said to the model and to the user, and what the user may do."""

    def __init__(self, context: RunContext, desk: LoadingDesk, messages: list[ChatMessage]) -> None:
        self._context, self._desk, self._messages = context, desk, messages
        self._tools = tool_specs(can_run_python=desk.can_run_python)
        self._call_ids: set[str] = set()
        self._text: list[str] = []
        self._actions: list[JsonObject] = []

    async def run(self) -> AsyncIterator[RunEvent]:
        for _ in range(MAX_ROUNDS):
            reply = Reply(self._context.new_id, self._call_ids)
            request = ChatRequest(tuple(self._messages), self._tools)
            async for event in reply.listen(self._context.model, request):
                if not isinstance(event, _CALLS):
                    yield event
            self._text.append(reply.text)
            if not reply.calls:
                break
            self._messages.append(_said(reply))
            for call in reply.calls:
                async for event in self._use(call):
                    yield event
        if self._actions:
            yield Produced("actions", {"actions": self._actions}, kept=False)
        yield Produced("done", {"full_text": "".join(self._text)}, kept=False)

    async def _use(self, call: ToolCall) -> AsyncIterator[RunEvent]:
        """Announce a call and answer it before the next: clients expect them in pairs."""
        for event in announced(call, self._context.new_id):
            yield event
        said = await use_tool(self._desk, call.name, decode_lenient(call.arguments) or {})
        self._actions += said.get("actions", [])
        told = encode_json(as_model_reads(said)).decode()
        self._messages.append(ChatMessage(ChatRole.TOOL, told, tool_call_id=call.id))
        content = encode_json(said).decode()
        failed = bool(said.get("error"))
        yield ToolReturned(call.id, str(self._context.new_id()), content, failed=failed)


def announced(call: ToolCall, new_id: Callable[[], UUID]) -> list[RunEvent]:
    """A whole call as the events of one."""
    given: list[RunEvent] = [ToolCallArguments(call.id, call.arguments)] if call.arguments else []
    started = ToolCallStarted(call.id, call.name, str(new_id()))
    return [started, *given, ToolCallFinished(call.id)]


def _said(reply: Reply) -> ChatMessage:
    return ChatMessage(
        ChatRole.ASSISTANT, reply.text, tool_calls=reply.calls, reasoning=reply.reasoning
    )
