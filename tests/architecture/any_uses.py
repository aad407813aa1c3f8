"""Where `Any` is used, by its own name or by an alias's."""

import ast
from functools import cache

from tests.architecture.source import Module, modules

ANY = "Any"
CODEC = "kit/json.py"
"""Its `JsonValue` is `Any` at run time only."""


def any_uses() -> list[str]:
    """Every use of `Any` and its aliases; imports and definitions of aliases do not count."""
    names = any_aliases() | {ANY}
    return [
        f"{module.at(node)} {node.id}"
        for module in modules()
        if module.path != CODEC
        for node in module.select(ast.Name)
        if isinstance(node.ctx, ast.Load) and node.id in names
    ]


@cache
def any_aliases() -> frozenset[str]:
    """Names for `Any`, and for containers of it: `VegaSpec = dict[str, Any]`."""
    definitions = [item for module in modules() for item in _definitions(module)]
    names = {ANY}
    while new := {name for name, value in definitions if name not in names and _is(value, names)}:
        names |= new
    return frozenset(names - {ANY})


def _definitions(module: Module) -> list[tuple[str, ast.expr]]:
    found = []
    for node in module.tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found.append((name, value))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found.append((name, value))
    return found


def _is(value: ast.expr, names: set[str]) -> bool:
    match value:
        case ast.Name(id=name):
            return name in names
        case ast.Subscript(value=ast.Name(id=container), slice=inside):
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return container != "Callable" and any(_is(part, names) for part in parts)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is(left, names) or _is(right, names)
        case _:
            return False
