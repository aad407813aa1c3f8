"""From variables and scopes to the wire."""

from collections.abc import Sequence

from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.envelope import to_milliseconds
from yarrow.protocols.tavern.variables.intake import BRANCH_PREFIX
from yarrow.stories.variables import ResolvedScope, WrittenVariable
from yarrow.variables.model import ResolvedVariable, Scope, Variable


def encode_scope(resolved: ResolvedScope) -> JsonObject:
    """The scope in the form that `parse_scope` reads."""
    ref = resolved.ref
    session = None if ref.session_id is None else str(ref.session_id)
    by_name = f"{BRANCH_PREFIX}:{session}:{resolved.branch}"
    return {
        "scope": ref.scope,
        "scope_id": by_name if ref.scope is Scope.BRANCH else ref.scope_id,
        "session_id": session,
        "branch_id": resolved.branch,
    }


def encode_variable(variable: Variable, resolved: ResolvedScope) -> JsonObject:
    return encode_scope(resolved) | {
        "key": variable.key,
        "value": variable.value,
        "updated_at": to_milliseconds(variable.updated_at),
    }


def encode_writes(written: Sequence[WrittenVariable]) -> JsonObject:
    created = sum(each.created for each in written)
    results = [
        {
            "index": index,
            "action": "created" if each.created else "updated",
            "data": encode_variable(each.variable, each.scope),
        }
        for index, each in enumerate(written)
    ]
    meta = {"total": len(written), "created": created, "updated": len(written) - created}
    return {"results": results, "meta": meta}


def encode_resolution(resolved: Sequence[ResolvedVariable]) -> JsonObject:
    return {
        "resolved": [
            {"key": each.key, "value": each.value, "scope": each.scope} for each in resolved
        ]
    }
