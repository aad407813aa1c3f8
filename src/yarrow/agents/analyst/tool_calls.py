"""Tool calls of a model, tidied and told."""

from collections.abc import Callable
from uuid import UUID

from yarrow.json_values import JsonObject, encode_json
from yarrow.llm.model import ToolCall
from yarrow.runs.events import RunEvent, ToolCallArguments, ToolCallFinished, ToolCallStarted


def tidied_call(
    call: ToolCall, arguments: JsonObject, *, call_ids: set[str], new_id: Callable[[], UUID]
) -> ToolCall:
    """A call with an id that is new in the run, and arguments that every endpoint can read.

    `call_ids` are those that the run has used: some models number each answer anew.
    """
    is_new = bool(call.id) and call.id not in call_ids
    call_id = call.id if is_new else f"call_{new_id()}"
    call_ids.add(call_id)
    return ToolCall(call_id, call.name, encode_json(arguments).decode())


def call_events(call: ToolCall, message_id: str) -> tuple[RunEvent, ...]:
    """A whole call as the events of one."""
    return (
        ToolCallStarted(call.id, call.name, message_id),
        ToolCallArguments(call.id, call.arguments),
        ToolCallFinished(call.id),
    )
