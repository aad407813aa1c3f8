"""Which of several scopes gives a variable its value."""

from collections.abc import Iterable

from yarrow.variables.model import NARROWEST_FIRST, ResolvedVariable, Variable


def resolve_precedence(variables: Iterable[Variable]) -> tuple[ResolvedVariable, ...]:
    """Pick for each key the value in the narrowest scope; sorted by key."""
    rank = {scope: index for index, scope in enumerate(NARROWEST_FIRST)}
    narrowest: dict[str, Variable] = {}
    for variable in variables:
        other = narrowest.get(variable.key)
        if other is None or rank[variable.scope_ref.scope] < rank[other.scope_ref.scope]:
            narrowest[variable.key] = variable
    return tuple(
        ResolvedVariable(key, variable.value, variable.scope_ref.scope)
        for key, variable in sorted(narrowest.items())
    )
