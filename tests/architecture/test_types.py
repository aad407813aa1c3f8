"""Values have types: no dicts of anything, no states as strings, no schema written twice."""

import ast
from itertools import combinations

from tests.architecture.any_uses import any_aliases, any_uses
from tests.architecture.ceilings import ANY_PER_1000_LINES
from tests.architecture.source import Module, modules

JSON_FILES = ("kit/json.py", "/wire.py")
"""Where a dict of anything is what travels."""

STATES = frozenset({"status", "kind", "type", "state", "phase", "role", "outcome", "reason"})

SAME_FIELDS = 0.7
OUTWARD = ("/wire.py", "/output.py")
"""Shapes that others fill in: a protocol's clients, or the model an agent asks."""
FEW_FIELDS = 4
"""Classes with fewer fields than this look alike by chance."""


def test_a_dict_of_anything_has_a_name() -> None:
    """`JsonObject` where it is JSON, else an alias that says why its values have no one type."""
    found = [
        module.at(node)
        for module in modules()
        if not module.path.endswith(JSON_FILES)
        for node in module.select(ast.Subscript)
        if _is_dict_of_anything(node) and not _is_in_alias(module, node)
    ]

    assert found == []


def _is_dict_of_anything(node: ast.Subscript) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id="dict")):
            return ast.unparse(node) == "dict[str, Any]"
        case _:
            return False


def _is_in_alias(module: Module, node: ast.Subscript) -> bool:
    return any(
        statement.lineno <= node.lineno <= (statement.end_lineno or 0)
        for statement in module.tree.body
        if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.annotation) == "TypeAlias"
    )


def test_any_is_rare() -> None:
    share = len(any_uses()) / sum(module.lines for module in modules()) * 1000

    assert share <= ANY_PER_1000_LINES, (
        f"{share:.1f} uses of Any and its aliases ({', '.join(sorted(any_aliases()))}) in 1,000 "
        "lines: decode into a typed value at the door (msgspec, pydantic), narrow with isinstance, "
        "or take Mapping and Sequence; `python -m scripts.names` lists them"
    )


def test_states_are_not_compared_with_strings() -> None:
    """A mistyped string is false for ever; an enum member or a `match` is checked."""
    found = [
        f"{module.at(node)} {ast.unparse(node)}"
        for module in modules()
        for node in module.select(ast.Compare)
        if _compares_state_with_string(node)
    ]

    assert found == []


def test_no_two_classes_have_the_same_fields() -> None:
    """A wire model may mirror one value: that is the one mapping a protocol makes."""
    found = [
        f"{at_one} and {at_other} share {', '.join(sorted(one & other))}"
        for (side, at_one, one), (other_side, at_other, other) in combinations(_shapes(), 2)
        if side == other_side and len(one & other) / max(len(one), len(other)) > SAME_FIELDS
    ]

    assert found == []


def _compares_state_with_string(node: ast.Compare) -> bool:
    sides = [node.left, *node.comparators]
    states = any(isinstance(side, ast.Attribute) and side.attr in STATES for side in sides)
    return states and any(_has_string(side) for side in sides)


def _has_string(side: ast.expr) -> bool:
    match side:
        case ast.Constant(value=str()):
            return True
        case ast.Set(elts=items) | ast.Tuple(elts=items) | ast.List(elts=items):
            return any(_has_string(item) for item in items)
        case _:
            return False


def _shapes() -> list[tuple[str, str, frozenset[str]]]:
    """Classes with enough fields: their side (an outward shape, or ours), place, fields."""
    return [
        (_side(module), f"{module.at(node)} {node.name}", fields)
        for module in modules()
        for node in module.classes()
        if len(fields := _fields(node)) >= FEW_FIELDS
    ]


def _side(module: Module) -> str:
    return module.path if module.path.endswith(OUTWARD) else "ours"


def _fields(node: ast.ClassDef) -> frozenset[str]:
    return frozenset(
        item.target.id
        for item in node.body
        if isinstance(item, ast.AnnAssign)
        and isinstance(item.target, ast.Name)
        and not ast.unparse(item.annotation).startswith("ClassVar")
    )
