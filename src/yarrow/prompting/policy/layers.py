"""Resolve policy layers: a higher layer overrides a lower one field by field."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from yarrow.errors import InvalidInput
from yarrow.kit.json import JsonObject, JsonValue

DEPTH_MAX = 8


class PolicyLayer(StrEnum):
    """Where a setting comes from, lowest precedence first."""

    SYSTEM = "system"
    PRESET = "preset"
    SESSION = "session"
    BRANCH = "branch"
    REQUEST = "request"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class ResolvedPolicy:
    """The effective policy, and for each field (by dotted path) the layer that set it."""

    values: JsonObject
    source_map: Mapping[str, PolicyLayer]


def resolve_policy(layers: Mapping[PolicyLayer, JsonObject]) -> ResolvedPolicy:
    """Merge the layers; null removes a value of a lower layer."""
    values: JsonObject = {}
    winners: dict[str, PolicyLayer] = {}
    for layer in PolicyLayer:
        if values_of_layer := layers.get(layer):
            values = merge_patch(values, values_of_layer)
            winners.update(dict.fromkeys(_leaf_paths(values_of_layer), layer))
    remaining = set(_leaf_paths(values))
    return ResolvedPolicy(
        values, {path: layer for path, layer in winners.items() if path in remaining}
    )


def merge_patch(target: JsonObject, patch: JsonObject, *, depth: int = 0) -> JsonObject:
    """Apply a JSON merge patch (RFC 7396): null removes, objects merge, lists are replaced."""
    if depth > DEPTH_MAX:
        raise InvalidInput(f"a policy may be at most {DEPTH_MAX} objects deep")
    merged = dict(target)
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        elif isinstance(value, dict):
            child = merged.get(name)
            merged[name] = merge_patch(
                child if isinstance(child, dict) else {}, value, depth=depth + 1
            )
        else:
            merged[name] = value
    return merged


def _leaf_paths(values: JsonObject) -> list[str]:
    """Return the dotted paths of everything that is not an object."""
    paths: list[str] = []
    pending: list[tuple[str, JsonValue]] = [("", values)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, dict):
            dot = f"{path}." if path else ""
            pending.extend((f"{dot}{name}", inner) for name, inner in reversed(value.items()))
        elif value is not None:
            paths.append(path)
    return paths
