"""The loader: talks about bringing data in, looks at files with tools, and shows what it found."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from yarrow.agents.analyst.ask import Heard, speak
from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.loader_prompt import opening, tool_specs
from yarrow.agents.analyst.loader_tools import use_tool, without_samples
from yarrow.agents.analyst.loading_desk import LoadingDesk, LoadingDesks
from yarrow.agents.analyst.plain_loading import plain_loading
from yarrow.agents.analyst.tool_calls import Calls, call_events
from yarrow.agents.reply import plain_output
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.model import ChatMessage, ChatRequest, ChatRole, ToolCall
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
    MessageFinished,
    MessageStarted,
    Produced,
    Progressed,
    RunEvent,
    TextDelta,
    ToolReturned,
)
from yarrow.runs.model import AgentSpec

DEADLINE_S = 600
MAX_ROUNDS = 10
"""How often the model is asked before the conversation goes back to the user."""


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
        self._calls = Calls(context.new_id)
        self._text: list[str] = []
        self._actions: list[JsonObject] = []

    async def run(self) -> AsyncIterator[RunEvent]:
        for _ in range(MAX_ROUNDS):
            heard, message_id = Heard(), str(self._context.new_id())
            async for event in self._listened(heard, message_id):
                yield event
            if not heard.calls and not self._has_said_anything():
                raise AnswerEmpty
            if not heard.calls:
                break
            calls = self._calls.tidied(heard)
            self._messages.append(heard.as_message())
            for call, arguments in calls:
                async for event in self._use(call, arguments, message_id=message_id):
                    yield event
        if self._actions:
            yield Produced("actions", {"actions": self._actions}, kept=False)
        yield Produced("done", {"full_text": "".join(self._text)}, kept=False)

    async def _listened(self, heard: Heard, message_id: str) -> AsyncIterator[RunEvent]:
        """One answer, its words as they come."""
        said: list[str] = []
        request = ChatRequest(tuple(self._messages), self._tools)
        async with aclosing(speak(self._context.model, request, heard)) as pieces:
            async for piece in pieces:
                if not isinstance(piece, str):
                    yield piece
                    continue
                if not said:
                    yield MessageStarted(message_id)
                said.append(piece)
                yield TextDelta(message_id, piece)
        self._text += said
        if said:
            output = None if heard.calls else plain_output("".join(said))
            yield MessageFinished(message_id, output)

    def _has_said_anything(self) -> bool:
        return bool(self._actions) or any(piece.strip() for piece in self._text)

    async def _use(
        self, call: ToolCall, arguments: JsonObject, *, message_id: str
    ) -> AsyncIterator[RunEvent]:
        """Announce a call and answer it before the next: clients expect them in pairs."""
        for event in call_events(call, message_id):
            yield event
        said = await use_tool(self._desk, call.name, arguments)
        self._actions += said.get("actions", [])
        told = encode_json(without_samples(said)).decode()
        self._messages.append(ChatMessage(ChatRole.TOOL, told, tool_call_id=call.id))
        content = encode_json(said).decode()
        failed = bool(said.get("error"))
        yield ToolReturned(call.id, str(self._context.new_id()), content, failed=failed)
