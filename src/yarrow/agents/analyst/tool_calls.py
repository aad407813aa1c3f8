"""Tool calls of a model, tidied and told."""

from collections.abc import Callable
from uuid import UUID

from yarrow.agents.analyst.ask import Heard
from yarrow.agents.analyst.json_in_text import decode_lenient
from yarrow.kit.json import JsonObject, encode_json
from yarrow.llm.model import ToolCall
from yarrow.runs.events import RunEvent, ToolCallArguments, ToolCallFinished, ToolCallStarted


class Calls:
    """The tool calls of a run, each with an id of its own: some models number every answer anew."""

    def __init__(self, new_id: Callable[[], UUID]) -> None:
        self._new_id = new_id
        self._used: set[str] = set()

    def tidied(self, heard: Heard) -> list[tuple[ToolCall, JsonObject]]:
        """The calls of an answer with their arguments; the answer has them so that every endpoint
        can read it."""
        pairs = [self._tidied(call) for call in heard.calls]
        heard.calls = [call for call, _ in pairs]
        return pairs

    def _tidied(self, call: ToolCall) -> tuple[ToolCall, JsonObject]:
        arguments = decode_lenient(call.arguments) or {}
        is_new = bool(call.id) and call.id not in self._used
        call_id = call.id if is_new else f"call_{self._new_id()}"
        self._used.add(call_id)
        return ToolCall(call_id, call.name, encode_json(arguments).decode()), arguments


def call_events(
    call: ToolCall, message_id: str, *, said: str = "", reasoning: str = ""
) -> tuple[RunEvent, ...]:
    """A whole call as the events of one, and what the model said and thought beside it."""
    return (
        ToolCallStarted(call.id, call.name, message_id, said, reasoning),
        ToolCallArguments(call.id, call.arguments),
        ToolCallFinished(call.id),
    )
