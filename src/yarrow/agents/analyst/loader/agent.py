"""The loader: talks with the user about loading data, inspects files with tools, offers tables."""

from collections.abc import AsyncIterator

from yarrow.agents.analyst.input import read_input
from yarrow.agents.analyst.loader.offline_loading import offer_named_files
from yarrow.agents.analyst.loader.prompt import build_prompt, list_tools
from yarrow.agents.analyst.loader.tools import (
    WRITING_TOOLS,
    drop_samples,
    list_actions,
    read_result,
    use_tool,
)
from yarrow.agents.analyst.loader.workspace import LoaderWorkspace, LoaderWorkspaces
from yarrow.agents.conversation.conversation import (
    Conversation,
    ToolLoop,
    ToolRound,
    make_call_events,
    start_conversation,
)
from yarrow.agents.conversation.reply import BY_RULES, ReplyEvents
from yarrow.journal.events import (
    Progressed,
    RunEvent,
    TextDelta,
    ToolReturned,
    Warned,
)
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.errors import AnswerEmpty
from yarrow.llm.model import ChatMessage
from yarrow.product_events.analyst import DocumentFinished, LoadActions
from yarrow.runs.agent import RunContext
from yarrow.runs.model import AgentSpec

DEADLINE_S = 600
MAX_ROUNDS = 10
"""How often the model is asked before the user has to answer."""

_UNFINISHED = (
    f"The model called tools {MAX_ROUNDS} times without finishing. Ask again, or for less at once."
)


class Loader:
    """A conversation that ends with tables to load."""

    spec = AgentSpec(name="analyst-loader", price=0, deadline_s=DEADLINE_S)

    def __init__(self, workspaces: LoaderWorkspaces, *, has_model: bool) -> None:
        self._workspaces, self._has_model = workspaces, has_model

    async def run(self, context: RunContext) -> AsyncIterator[RunEvent]:
        analyst_input = read_input(context.run.input)
        yield Progressed("building_context")
        async with self._workspaces.open(context, analyst_input) as workspace:
            if self._has_model or context.run.input.model:
                conversation = start_conversation(context, self.spec)
                messages = build_prompt(analyst_input, context.run.input.text)
                chat = LoadingChat(context, conversation, workspace=workspace, messages=messages)
                events = chat.run()
            else:
                yield BY_RULES
                events = offer_named_files(context, analyst_input, workspace)
            async for event in events:
                yield event


class LoadingChat:
    """One run of the loader; collects the text and what the user can load."""

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
            tools=list_tools(can_run_python=self._workspace.can_run_python),
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
        if loop.is_exhausted:
            yield Warned("TOOL_ROUNDS_USED", _UNFINISHED)
        if self._actions:
            yield LoadActions(tuple(self._actions))
        yield DocumentFinished("".join(self._text))

    async def _use_tools(self, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        """Announce each call right before it runs: clients expect calls and results in pairs."""
        for parsed in tool_round.calls:
            call = parsed.call
            for event in make_call_events(call, tool_round.reply.message_id):
                yield event
            arguments = parsed.arguments or {}
            returned = self._context.steps.take_result(call.id)
            if returned is None:
                if call.name in WRITING_TOOLS:
                    await self._context.persist()
                result = await use_tool(self._workspace, call.name, arguments)
            else:
                result = read_result(self._workspace, call.name, arguments, returned.content)
            self._actions += list_actions(result)
            tool_round.answer(call, encode_json(drop_samples(result)).decode())
            content, message_id = encode_json(result).decode(), str(self._context.new_id())
            failed = bool(result.get("error"))
            yield returned or ToolReturned(call.id, message_id, content, failed=failed)
