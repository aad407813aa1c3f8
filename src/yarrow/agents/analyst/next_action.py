"""The inner loop: let the model use tools until it says what to do next."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from uuid import UUID

from yarrow.agents.analyst.actions import Action, NoAction, read_action
from yarrow.agents.analyst.ask import Heard, ask
from yarrow.agents.analyst.json_in_text import decode_lenient, find_object
from yarrow.agents.analyst.prompt import FORMAT_ONLY, tool_specs
from yarrow.agents.analyst.toolbox import as_model_reads, call_tool
from yarrow.json_values import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatModel, ChatRequest, ChatRole, ToolCall
from yarrow.runs.desk import Desk
from yarrow.runs.events import (
    Produced,
    RunEvent,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    ToolReturned,
)

MAX_ROUNDS = 12
"""How often the model may ask for tools before it has to act."""

ACTIONS = ("visualize", "clarify", "explain", "summary", "delegate")


@dataclass(slots=True)
class Taken:
    """What the model decided; `action` stays None when its rounds were used up."""

    action: Action | NoAction | None = None
    raw: JsonObject | None = None
    narration: str = ""
    """Words around the action."""


class NextAction:
    """Finds the next action; what is said on the way is added to `messages`."""

    def __init__(
        self,
        model: ChatModel,
        desk: Desk,
        messages: list[ChatMessage],
        *,
        new_id: Callable[[], UUID],
        call_ids: set[str],
    ) -> None:
        self._model, self._desk, self._messages = model, desk, messages
        self._new_id = new_id
        self._tools = tool_specs(can_run_python=desk.can_run_python)
        self._nudged = False
        self._call_ids = call_ids

    async def find(self, taken: Taken) -> AsyncIterator[RunEvent]:
        """Say what is done, and leave in `taken` what was decided."""
        for _ in range(MAX_ROUNDS):
            heard = Heard()
            request = ChatRequest(tuple(self._messages), self._tools)
            async for event in ask(self._model, request, heard):
                yield event
            if not heard.calls:
                if self._decide(heard, taken):
                    return
                continue
            async for event in self._use_tools(heard, taken):
                yield event
            if taken.action is not None:
                return

    def _decide(self, heard: Heard, taken: Taken) -> bool:
        """Whether this is the end: an action was found, or even a reminder brought none."""
        found = find_object(heard.text)
        self._messages.append(heard.as_message())
        if found is not None:
            taken.raw, taken.action = found.value, read_action(found.value)
            taken.narration = "\n".join(filter(None, (found.before, found.after)))
            return True
        if self._nudged:
            taken.action = NoAction("", "no JSON object in the answer")
            return True
        self._nudged = True
        self._messages.append(ChatMessage(ChatRole.USER, FORMAT_ONLY))
        return False

    async def _use_tools(self, heard: Heard, taken: Taken) -> AsyncIterator[RunEvent]:
        if heard.text.strip():
            yield Produced("thinking_text", {"content": heard.text.strip()})
        heard.calls = [self._with_own_id(call) for call in heard.calls]
        self._messages.append(heard.as_message())
        message_id = str(self._new_id())
        for call in heard.calls:
            arguments = decode_lenient(call.arguments) or {}
            if call.name in ACTIONS and taken.action is None:
                async for event in self._rescue(call, arguments, taken, message_id=message_id):
                    yield event
            elif call.name == "think":
                self._answer(call, "ok")
                if thought := str(arguments.get("message") or "").strip():
                    yield Produced("thinking_text", {"content": thought})
            else:
                async for event in self._use(call, arguments, message_id=message_id):
                    yield event

    def _with_own_id(self, call: ToolCall) -> ToolCall:
        """The model's id of a call, unless the run has it already: some number each answer anew."""
        known = not call.id or call.id in self._call_ids
        call_id = f"call_{self._new_id()}" if known else call.id
        self._call_ids.add(call_id)
        return ToolCall(call_id, call.name, call.arguments)

    async def _use(
        self, call: ToolCall, arguments: JsonObject, *, message_id: str
    ) -> AsyncIterator[RunEvent]:
        for event in _announced(call, message_id):
            yield event
        said = await call_tool(self._desk, call.name, arguments)
        self._answer(call, as_model_reads(said))
        yield self._returned(call, said)

    async def _rescue(
        self, call: ToolCall, arguments: JsonObject, taken: Taken, *, message_id: str
    ) -> AsyncIterator[RunEvent]:
        """An action that a weak model called as if it were a tool."""
        action = read_action(arguments, name=call.name)
        if not isinstance(action, NoAction):
            taken.action, taken.raw = action, {"action": call.name, **arguments}
            self._answer(call, "ok")
            return
        for event in _announced(call, message_id):
            yield event
        self._answer(call, action.reason)
        yield self._returned(call, {"stdout": "", "error": action.reason})

    def _answer(self, call: ToolCall, text: str) -> None:
        self._messages.append(ChatMessage(ChatRole.TOOL, text, tool_call_id=call.id))

    def _returned(self, call: ToolCall, said: JsonObject) -> ToolReturned:
        content = encode_json(said).decode()
        return ToolReturned(call.id, str(self._new_id()), content, failed="error" in said)


def _announced(call: ToolCall, message_id: str) -> list[RunEvent]:
    given: list[RunEvent] = [ToolCallArguments(call.id, call.arguments)] if call.arguments else []
    return [ToolCallStarted(call.id, call.name, message_id), *given, ToolCallFinished(call.id)]
