"""The tree as JSON: the shape of seed 002. Optional fields are left out, never null."""

from typing import assert_never

import msgspec

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.uischema.card import UiSchema
from yarrow.uischema.compile import compile_card
from yarrow.uischema.hints import HintsInvalid, read_hints
from yarrow.uischema.nodes import (
    Action,
    Badge,
    BulletList,
    Button,
    Divider,
    ImageNode,
    KeyValue,
    ListEntry,
    Node,
    OpenLink,
    Progress,
    SendMessage,
    Stack,
    StackDirection,
    TableNode,
    TextNode,
)

VERSION = "2.0"


def compile_stored_card(hints: JsonValue) -> JsonObject | None:
    """The compiled card of kept hints; None where there are none, or none that can be used."""
    if hints is None:
        return None
    read = read_hints(hints)
    return None if isinstance(read, HintsInvalid) else to_json(compile_card(read))


def to_json(schema: UiSchema) -> JsonObject:
    """The whole card."""
    meta: JsonObject = msgspec.to_builtins(schema.meta)
    return {
        "version": VERSION,
        "locale": schema.locale,
        "status": schema.status.value,
        "theme": schema.theme.value,
        **({"meta": meta} if meta else {}),
        "root": _encode_node(schema.root),
    }


def _encode_node(node: Node) -> JsonObject:
    match node:
        case Stack():
            return _encode_stack(node)
        case TextNode(content, role):
            return {"type": "text", "content": content, "role": role.value}
        case Badge(label, status):
            return {"type": "badge", "label": label, "status": status.value}
        case BulletList(items):
            return {"type": "list", "items": [_encode_entry(item) for item in items]}
        case KeyValue(entries):
            pairs = [{"key": key, "value": value} for key, value in entries]
            return {"type": "key-value", "entries": pairs}
        case TableNode(columns, rows):
            cells = [list(row) for row in rows]
            return {"type": "table", "columns": list(columns), "rows": cells}
        case ImageNode(src, alt):
            return {"type": "image", "src": src, "alt": alt}
        case Button(label, action):
            return {"type": "button", "label": label, "action": _encode_action(action)}
        case Divider():
            return {"type": "divider"}
        case Progress(value, label):
            return {"type": "progress", "value": value, **({"label": label} if label else {})}
        case _:
            assert_never(node)


def _encode_stack(stack: Stack) -> JsonObject:
    vertical = stack.direction is StackDirection.VERTICAL
    return {
        "type": "stack",
        "appearance": stack.appearance.value,
        **({} if vertical else {"direction": stack.direction.value}),
        "children": [_encode_node(child) for child in stack.children],
    }


def _encode_entry(entry: ListEntry) -> JsonObject:
    return {"title": entry.title, **({"detail": entry.detail} if entry.detail else {})}


def _encode_action(action: Action) -> JsonObject:
    match action:
        case SendMessage(text):
            return {"type": "message", "text": text}
        case OpenLink(href):
            return {"type": "link", "href": href}
        case _:
            assert_never(action)
