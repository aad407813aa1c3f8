"""What a stock AG-UI client does with a stream: checks the order of events, folds messages.

The rules of `verifyEvents` and of the default reducer of @ag-ui/client, in short; the real ones
are tried in `agui_clients`. This one is cheap enough to be asked for every place of a stream.
"""

from collections.abc import Iterable

from msgspec import Struct, field
from tests.loose_json import JsonObject
from tests.serving import Frame

OPENING = {
    "TEXT_MESSAGE_START": ("text", "messageId"),
    "TOOL_CALL_START": ("tool", "toolCallId"),
    "STEP_STARTED": ("step", "stepName"),
    "REASONING_START": ("reasoning", "messageId"),
    "REASONING_MESSAGE_START": ("thought", "messageId"),
}
CONTINUING = {
    "TEXT_MESSAGE_CONTENT": ("text", "messageId"),
    "TOOL_CALL_ARGS": ("tool", "toolCallId"),
    "REASONING_MESSAGE_CONTENT": ("thought", "messageId"),
}
CLOSING = {
    "TEXT_MESSAGE_END": ("text", "messageId"),
    "TOOL_CALL_END": ("tool", "toolCallId"),
    "STEP_FINISHED": ("step", "stepName"),
    "REASONING_END": ("reasoning", "messageId"),
    "REASONING_MESSAGE_END": ("thought", "messageId"),
}
FREE = {"RUN_STARTED", "RUN_FINISHED", "RUN_ERROR", "MESSAGES_SNAPSHOT", "CUSTOM"}
FREE |= {"TOOL_CALL_RESULT"}


class StockClient(Struct):
    """An empty client that is fed events and refuses what a stock client refuses."""

    messages: dict[str, JsonObject] = field(default_factory=dict)
    open: set[tuple[str, str]] = field(default_factory=set)
    custom: dict[str, object] = field(default_factory=dict)
    begun: bool = False
    last: JsonObject | None = None

    def feed(self, frames: Iterable[Frame]) -> "StockClient":
        for frame in frames:
            self._verify(frame.data)
            self._apply(frame.data)
        return self

    def _verify(self, event: JsonObject) -> None:
        type_ = event["type"]
        assert type_ in FREE | OPENING.keys() | CONTINUING.keys() | CLOSING.keys(), type_
        assert self.last is None, f"{type_} after the end"
        assert self.begun or type_ in ("RUN_STARTED", "RUN_ERROR"), f"{type_} comes first"
        if type_ in OPENING:
            assert _name(event, OPENING) not in self.open, f"{event} is open already"
        if type_ in CONTINUING:
            assert _name(event, CONTINUING) in self.open, f"{event} continues nothing"
            assert event["delta"] != ""
        if type_ in CLOSING:
            assert _name(event, CLOSING) in self.open, f"{event} closes nothing"
        if type_ == "RUN_FINISHED":
            assert not self.open, f"finished with {self.open} open"

    def _apply(self, event: JsonObject) -> None:
        type_ = event["type"]
        if type_ in OPENING:
            self.open.add(_name(event, OPENING))
        if type_ in CLOSING:
            self.open.remove(_name(event, CLOSING))
        match type_:
            case "RUN_STARTED":
                assert not self.begun, "started twice"
                self.begun = True
            case "RUN_FINISHED" | "RUN_ERROR":
                self.last = event
            case "MESSAGES_SNAPSHOT":
                self.messages = {m["id"]: dict(m) for m in event["messages"]}
            case "CUSTOM":
                self.custom[event["name"]] = event["value"]
            case "TEXT_MESSAGE_START":
                self._message(event["messageId"], "assistant").setdefault("content", "")
            case "REASONING_MESSAGE_START":
                self._message(event["messageId"], "reasoning").setdefault("content", "")
            case "TEXT_MESSAGE_END" if "metadata" in event:
                self.messages[event["messageId"]]["metadata"] = event["metadata"]
            case "TEXT_MESSAGE_CONTENT" | "REASONING_MESSAGE_CONTENT":
                self.messages[event["messageId"]]["content"] += event["delta"]
            case "TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_RESULT":
                self._apply_tool(event)

    def _apply_tool(self, event: JsonObject) -> None:
        id_ = event["toolCallId"]
        match event["type"]:
            case "TOOL_CALL_START":
                call = {"name": event["toolCallName"], "arguments": ""}
                parent = self._message(event["parentMessageId"], "assistant")
                parent.setdefault("toolCalls", []).append(
                    {"id": id_, "type": "function", "function": call}
                )
            case "TOOL_CALL_ARGS":
                calls = [c for m in self.messages.values() for c in m.get("toolCalls", ())]
                call = next(call for call in calls if call["id"] == id_)
                call["function"]["arguments"] += event["delta"]
            case "TOOL_CALL_RESULT":
                result = {"id": event["messageId"], "role": "tool", "toolCallId": id_}
                self.messages[event["messageId"]] = result | {"content": event["content"]}

    def _message(self, id_: str, role: str) -> JsonObject:
        return self.messages.setdefault(id_, {"id": id_, "role": role})


def _name(event: JsonObject, kinds: dict[str, tuple[str, str]]) -> tuple[str, str]:
    kind, field_ = kinds[event["type"]]
    return kind, event[field_]
