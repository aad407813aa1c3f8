"""Rules laid over each other: a higher layer wins field by field."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue

DEPTH_MAX = 8


class PolicyLayer(StrEnum):
    """Who said something, weakest first."""

    SYSTEM = "system"
    PRESET = "preset"
    SESSION = "session"
    BRANCH = "branch"
    REQUEST = "request"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class ResolvedPolicy:
    """The rules in force, and for each field (by dotted path) the layer that won."""

    values: JsonObject
    source_map: Mapping[str, PolicyLayer]


def resolve_policy(layers: Mapping[PolicyLayer, JsonObject]) -> ResolvedPolicy:
    """Lay the layers over each other; null takes away what lower layers said."""
    values: JsonObject = {}
    winners: dict[str, PolicyLayer] = {}
    for layer in PolicyLayer:
        if said := layers.get(layer):
            values = merge_patch(values, said)
            winners.update(dict.fromkeys(_leaf_paths(said), layer))
    alive = set(_leaf_paths(values))
    return ResolvedPolicy(values, {p: layer for p, layer in winners.items() if p in alive})


def merge_patch(stored: JsonObject, patch: JsonObject, *, depth: int = 0) -> JsonObject:
    """A copy of what is stored with a patch over it; null clears, objects merge, lists do not."""
    if depth > DEPTH_MAX:
        raise InvalidInput(f"a policy may be at most {DEPTH_MAX} objects deep")
    merged = dict(stored)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            below = merged.get(name)
            merged[name] = merge_patch(
                below if isinstance(below, dict) else {}, value, depth=depth + 1
            )
        else:
            merged[name] = value
    return merged


def _leaf_paths(values: JsonObject) -> list[str]:
    """Dotted paths of everything that is not an object."""
    found: list[str] = []
    waiting: list[tuple[str, JsonValue]] = [("", values)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            dot = f"{path}." if path else ""
            waiting.extend((f"{dot}{name}", inner) for name, inner in reversed(value.items()))
        elif value is not None:
            found.append(path)
    return found
