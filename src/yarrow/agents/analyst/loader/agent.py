"""The loader: talks about bringing data in, looks at files with tools, and shows what it found."""

from collections.abc import AsyncIterator

from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.loader.offline_loading import plain_loading
from yarrow.agents.analyst.loader.prompt import opening, tool_specs
from yarrow.agents.analyst.loader.tools import use_tool, without_samples
from yarrow.agents.analyst.loader.workspace import LoaderWorkspace, LoaderWorkspaces
from yarrow.agents.conversation.conversation import Conversation, ToolLoop, ToolRound, call_events
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.model import ChatMessage
from yarrow.runs.agent import RunContext
from yarrow.runs.events import (
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

    def __init__(self, workspaces: LoaderWorkspaces, *, has_model: bool) -> None:
        self._workspaces, self._has_model = workspaces, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        given = read_input(context.run.input)
        yield Progressed("building_context")
        async with self._workspaces.open(context.run.account_id, given) as workspace:
            if not self._has_model and not context.run.input.model:
                async for event in plain_loading(context, given, workspace):
                    yield event
                return
            conversation = Conversation(
                context.model, context.new_id, deadline_s=self.spec.deadline_s
            )
            messages = opening(given, context.run.input.text)
            chat = LoadingChat(context, conversation, workspace=workspace, messages=messages)
            async for event in chat.run():
                yield event


class LoadingChat:
    """One run of the loader: the chat with its model and what the user may load at the end."""

    def __init__(
        self,
        context: RunContext,
        conversation: Conversation,
        *,
        workspace: LoaderWorkspace,
        messages: list[ChatMessage],
    ) -> None:
        self._context, self._conversation, self._workspace = context, conversation, workspace
        self._messages = messages
        self._text: list[str] = []
        self._actions: list[JsonObject] = []

    async def run(self) -> AsyncIterator[RunEvent]:
        loop = ToolLoop(
            self._conversation,
            self._messages,
            self._use_tools,
            tools=tool_specs(can_run_python=self._workspace.can_run_python),
            max_rounds=MAX_ROUNDS,
            events=ReplyEvents.TEXT,
        )
        try:
            async for event in loop.run():
                if isinstance(event, TextDelta):
                    self._text.append(event.text)
                yield event
        except AnswerEmpty:
            if not self._actions and not "".join(self._text).strip():
                raise
        if self._actions:
            yield Produced("actions", {"actions": self._actions}, kept=False)
        yield Produced("done", {"full_text": "".join(self._text)}, kept=False)

    async def _use_tools(self, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        """Announce each call right before it runs: clients expect calls and results in pairs."""
        for parsed in tool_round.calls:
            call = parsed.call
            for event in call_events(call, tool_round.reply.message_id):
                yield event
            result = await use_tool(self._workspace, call.name, parsed.arguments or {})
            self._actions += result.get("actions", [])
            tool_round.answer(call, encode_json(without_samples(result)).decode())
            content = encode_json(result).decode()
            failed = bool(result.get("error"))
            yield ToolReturned(call.id, str(self._context.new_id()), content, failed=failed)
