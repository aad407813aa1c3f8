"""From values to the wire."""

from collections.abc import Sequence

from yarrow.kit.json import JsonObject
from yarrow.protocols.tavern.assets.encode import milliseconds
from yarrow.protocols.tavern.variables.intake import BRANCH_PREFIX
from yarrow.stories.variables import Located, Written
from yarrow.variables.model import Resolved, Scope, Variable


def place_shape(located: Located) -> JsonObject:
    """Where a variable lies, in words that find it again."""
    place = located.place
    session = None if place.session_id is None else str(place.session_id)
    by_name = f"{BRANCH_PREFIX}:{session}:{located.branch}"
    return {
        "scope": place.scope,
        "scope_id": by_name if place.scope is Scope.BRANCH else place.scope_id,
        "session_id": session,
        "branch_id": located.branch,
    }


def variable_shape(variable: Variable, located: Located) -> JsonObject:
    return place_shape(located) | {
        "key": variable.key,
        "value": variable.value,
        "updated_at": milliseconds(variable.updated_at),
    }


def batch_shape(written: Sequence[Written]) -> JsonObject:
    created = sum(each.created for each in written)
    results = [
        {
            "index": index,
            "action": "created" if each.created else "updated",
            "data": variable_shape(each.variable, each.located),
        }
        for index, each in enumerate(written)
    ]
    meta = {"total": len(written), "created": created, "updated": len(written) - created}
    return {"results": results, "meta": meta}


def resolved_shape(resolved: Sequence[Resolved]) -> JsonObject:
    return {
        "resolved": [
            {"key": each.key, "value": each.value, "scope": each.scope} for each in resolved
        ]
    }
