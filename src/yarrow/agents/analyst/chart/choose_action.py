"""Let the model use tools until it decides on its next action."""

from collections.abc import AsyncIterator

from msgspec import Struct, field

from yarrow.agents.analyst.chart.actions import (
    REQUIRED,
    Action,
    NoAction,
    UnknownAction,
    UnusableReply,
    parse_action,
    read_action_name,
)
from yarrow.agents.analyst.chart.prompt import FORMAT_ONLY, THINK, list_tools
from yarrow.agents.analyst.chart.tools import call_tool, format_result, read_result
from yarrow.agents.analyst.workspace import AnalystWorkspace
from yarrow.agents.conversation.conversation import (
    Conversation,
    ParsedCall,
    ToolLoop,
    ToolRound,
    make_call_events,
)
from yarrow.agents.conversation.json_text import cut_objects, find_objects
from yarrow.agents.conversation.reply import ReplyEvents
from yarrow.journal.events import RunEvent, ToolReturned
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatRole
from yarrow.product_events.analyst import ModelNote
from yarrow.runs.agent import RunContext

MAX_ROUNDS = 12
"""How often the model is asked before it has to decide."""

NO_JSON = "There is no JSON object in the answer"
ONE_ACTION = "Not done: one action at a time."


class Decision(Struct):
    """What the model decided; `action` stays None when its rounds are used up."""

    action: Action | NoAction | None = None
    raw: JsonObject = field(default_factory=dict)
    """The action as the model wrote it."""
    narration: str = ""
    """Text around the action."""
    reasoning: str | None = None
    """Reasoning before it; some models want it back."""


class ActionChoice:
    """One decision of the model; replies and tool results on the way are added to `messages`."""

    def __init__(
        self,
        context: RunContext,
        conversation: Conversation,
        workspace: AnalystWorkspace,
        messages: list[ChatMessage],
    ) -> None:
        self.decision = Decision()
        self._context, self._conversation = context, conversation
        self._workspace, self._messages = workspace, messages
        self._reminded = False

    async def decide(self) -> AsyncIterator[RunEvent]:
        """Yield the events of tools until `decision` has an action or the rounds are used up."""
        loop = ToolLoop(
            self._conversation,
            self._messages,
            self._use_tools,
            tools=list_tools(can_run_python=self._workspace.can_run_python),
            max_rounds=MAX_ROUNDS,
            events=ReplyEvents.NONE,
        )
        while self.decision.action is None:
            async for event in loop.run():
                yield event
            if loop.is_exhausted:
                return
            if self.decision.action is None:
                self._parse_decision()
        self.decision.reasoning = self._conversation.reply.reasoning

    def _parse_decision(self) -> None:
        """Read the action from the reply; without one, remind the model once of the format."""
        reply, decision = self._conversation.reply, self.decision
        is_empty = not reply.text.strip()
        if not is_empty:
            self._messages.append(reply.message)
        objects = list(find_objects(reply.text))
        actions = [span for span in objects if read_action_name(span.value) in REQUIRED]
        if objects:
            chosen = (actions or objects)[0]  # weak models quote their data before they act
            decision.raw, decision.action = chosen.value, parse_action(chosen.value)
            if not isinstance(decision.action, UnusableReply):
                decision.narration = cut_objects(reply.text, actions or [chosen])
        elif self._reminded:
            decision.action = UnusableReply(NO_JSON, is_empty=is_empty)
        else:
            self._reminded = True
            self._messages.append(ChatMessage(ChatRole.USER, FORMAT_ONLY))

    async def _use_tools(self, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        if text := tool_round.reply.text.strip():
            yield ModelNote(text)
        for parsed in tool_round.calls:
            if self.decision.action is not None:
                tool_round.answer(parsed.call, ONE_ACTION)
            elif parsed.call.name == THINK.name:
                tool_round.answer(parsed.call, "ok")
                if thought := (parsed.arguments or {}).get("message"):
                    yield ModelNote(str(thought).strip())
            else:
                async for event in self._use_tool(parsed, tool_round):
                    yield event
        tool_round.is_last = self.decision.action is not None

    async def _use_tool(self, parsed: ParsedCall, tool_round: ToolRound) -> AsyncIterator[RunEvent]:
        """Run a tool, or take the action that a weak model called as if it were one."""
        call, arguments, reply = parsed.call, parsed.arguments or {}, tool_round.reply
        name = call.name.lower()
        action = parse_action(arguments, name=name) if name in REQUIRED else None
        if action is not None and not isinstance(action, UnusableReply | UnknownAction):
            self.decision.action = action
            self.decision.raw = {"action": name, **arguments}
            tool_round.answer(call, "ok")
            return
        text, reasoning = reply.text.strip(), reply.reasoning
        for event in make_call_events(call, reply.message_id, text=text, reasoning=reasoning):
            yield event
        returned = self._context.steps.take_result(call.id)
        if returned is not None:
            result = read_result(self._workspace, call.name, arguments, returned.content)
        elif isinstance(action, UnusableReply):
            result = {"stdout": "", "error": action.reason}
        else:
            result = await call_tool(self._workspace, call.name, arguments)
        tool_round.answer(call, format_result(result))
        content, message_id = encode_json(result).decode(), str(self._context.new_id())
        failed = "error" in result
        yield returned or ToolReturned(call.id, message_id, content, failed=failed)
