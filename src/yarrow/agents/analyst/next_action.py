"""The inner loop: let the model use tools until it says what to do next."""

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from yarrow.agents.analyst.actions import (
    REQUIRED,
    Action,
    NoAction,
    UnknownAction,
    Unusable,
    action_name,
    read_action,
)
from yarrow.agents.analyst.ask import Heard, ask
from yarrow.agents.analyst.desk import Desk
from yarrow.agents.analyst.json_in_text import find_objects
from yarrow.agents.analyst.narration import words_around
from yarrow.agents.analyst.prompt import FORMAT_ONLY, THINK, tool_specs
from yarrow.agents.analyst.tool_calls import Calls, call_events
from yarrow.agents.analyst.toolbox import as_told, call_tool
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.model import ChatMessage, ChatModel, ChatRequest, ChatRole, ToolCall
from yarrow.runs.events import (
    Produced,
    RunEvent,
    ToolReturned,
)

MAX_ROUNDS = 12
"""How often the model may ask for tools before it has to act."""

NO_JSON = "There is no JSON object in the answer"
ONE_ACTION = "Not done: one action at a time."


@dataclass(slots=True)
class Taken:
    """What the model decided; `action` stays None when its rounds were used up."""

    action: Action | NoAction | None = None
    raw: JsonObject = field(default_factory=dict)
    """The action as the model wrote it."""
    narration: str = ""
    """Words around the action."""
    reasoning: str = ""
    """What the model thought before it; some want it back."""


class NextAction:
    """Finds the next action; what is said on the way is added to `messages`."""

    def __init__(
        self,
        model: ChatModel,
        desk: Desk,
        messages: list[ChatMessage],
        *,
        new_id: Callable[[], UUID],
        calls: Calls,
    ) -> None:
        self._model, self._desk, self._messages = model, desk, messages
        self._new_id, self._calls = new_id, calls
        self._tools = tool_specs(can_run_python=desk.can_run_python)
        self._reminded = False

    async def find(self, taken: Taken) -> AsyncIterator[RunEvent]:
        """Say what is done, and leave in `taken` what was decided."""
        for _ in range(MAX_ROUNDS):
            heard = Heard()
            request = ChatRequest(tuple(self._messages), self._tools)
            async for event in ask(self._model, request, heard):
                yield event
            if heard.calls:
                async for event in self._use_tools(heard, taken):
                    yield event
            else:
                self._decide(heard, taken)
            if taken.action is not None:
                taken.reasoning = heard.reasoning
                return

    def _decide(self, heard: Heard, taken: Taken) -> None:
        """Take the action that was written; without one, remind the model once of the form."""
        if heard.text.strip():
            self._messages.append(heard.as_message())
        objects = list(find_objects(heard.text))
        actions = [found for found in objects if action_name(found.value) in REQUIRED]
        if objects:
            found = (actions or objects)[0]  # weak models quote their data before they act
            taken.raw, taken.action = found.value, read_action(found.value)
            if not isinstance(taken.action, Unusable):
                taken.narration = words_around(heard.text, actions or [found])
        elif self._reminded:
            taken.action = Unusable(NO_JSON, is_silence=not heard.text.strip())
        else:
            self._reminded = True
            self._messages.append(ChatMessage(ChatRole.USER, FORMAT_ONLY))

    async def _use_tools(self, heard: Heard, taken: Taken) -> AsyncIterator[RunEvent]:
        if heard.text.strip():
            yield _thought(heard.text)
        calls = self._calls.tidied(heard)
        self._messages.append(heard.as_message())
        message_id = str(self._new_id())
        for call, arguments in calls:
            if taken.action is not None:
                self._answer(call, ONE_ACTION)
            elif call.name == THINK.name:
                self._answer(call, "ok")
                if thought := arguments.get("message"):
                    yield _thought(str(thought))
            else:
                told = call_events(
                    call, message_id, said=heard.text.strip(), reasoning=heard.reasoning
                )
                async for event in self._use(call, arguments, taken, told=told):
                    yield event

    async def _use(
        self, call: ToolCall, arguments: JsonObject, taken: Taken, *, told: Sequence[RunEvent]
    ) -> AsyncIterator[RunEvent]:
        """Run a tool; or take the action that a weak model called as if it were one."""
        name = call.name.lower()
        action = read_action(arguments, name=name) if name in REQUIRED else None
        if action is not None and not isinstance(action, Unusable | UnknownAction):
            taken.action, taken.raw = action, {"action": name, **arguments}
            self._answer(call, "ok")
            return
        for event in told:
            yield event
        if isinstance(action, Unusable):
            said: JsonObject = {"stdout": "", "error": action.reason}
        else:
            said = await call_tool(self._desk, call.name, arguments)
        self._answer(call, as_told(said))
        content = encode_json(said).decode()
        yield ToolReturned(call.id, str(self._new_id()), content, failed="error" in said)

    def _answer(self, call: ToolCall, text: str) -> None:
        self._messages.append(ChatMessage(ChatRole.TOOL, text, tool_call_id=call.id))


def _thought(text: str) -> Produced:
    return Produced("thinking_text", {"content": text.strip()}, kept=False)
