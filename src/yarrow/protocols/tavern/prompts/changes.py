"""Differences of two JSON values."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from yarrow.kit.json import JsonObject, JsonValue

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]


def list_changes(left: JsonValue, right: JsonValue) -> list[JsonObject]:
    """List what was added, removed and changed, each with its path; lists by position."""
    return list(_walk(left, right, ()))


def _walk(left: JsonValue, right: JsonValue, path: Path) -> Iterator[JsonObject]:
    lefts, rights = _list_parts(left), _list_parts(right)
    if lefts is None or rights is None or type(left) is not type(right):
        if left != right or type(left) is not type(right):
            yield _make_change(path, "changed", left, right)
        return
    for step in dict.fromkeys([*lefts, *rights]):
        inner = (*path, step)
        if step not in lefts:
            yield _make_change(inner, "added", None, rights[step])
        elif step not in rights:
            yield _make_change(inner, "removed", lefts[step], None)
        else:
            yield from _walk(lefts[step], rights[step], inner)


def _list_parts(value: JsonValue) -> Mapping[Step, JsonValue] | None:
    """The parts of a container by name or position."""
    if isinstance(value, dict):
        return {**value}
    return dict(enumerate(value)) if isinstance(value, list) else None


def _make_change(path: Path, kind: str, left: JsonValue, right: JsonValue) -> JsonObject:
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]
    return {
        "path": "".join(steps).removeprefix("."),
        "change_type": kind,
        "left": left,
        "right": right,
    }
