"""Imports that pure packages must not have, and imports that routes must not have."""

import ast
from collections.abc import Iterator

from tests.architecture.source import Module, modules

PURE_PACKAGES = (
    "language/",
    "liuyao/",
    "uischema/",
    "charting/",
    "product_events/",
    "prompting/",
)
IMPURE = frozenset(
    {
        *("asyncio", "concurrent", "multiprocessing", "os", "pathlib", "random", "secrets"),
        *("shutil", "signal", "socket", "subprocess", "tempfile", "threading", "time"),
    }
)
ALLOWED = {
    ("prompting/regex_engine/quickjs.py", "threading"): "one QuickJS context a thread",
    ("prompting/regex_engine/quickjs.py", "time"): "the time limit of a pattern",
    ("prompting/worldbook/selection.py", "random"): "a `Random` that the caller has seeded",
}
"""Imports of pure packages that change nothing about purity, or are the engine of a port."""

OPENERS = frozenset({"connection", "transaction"})


def impure_imports() -> dict[tuple[str, str], str]:
    """Module and import of everything impure in the pure packages, with its place."""
    return {
        (module.path, name): module.at(node)
        for module in modules()
        if module.path.startswith(PURE_PACKAGES)
        for node, full_name in imported_names(module)
        if (name := full_name.partition(".")[0]) in IMPURE
    }


def stores_in_routes() -> list[str]:
    """Stores that modules of routes import, and connections that they open."""
    imports = [
        f"{module.at(node)} import {name}"
        for module in route_modules()
        for node, name in imported_names(module)
        if name.startswith("yarrow.") and any(part.endswith("store") for part in name.split("."))
    ]
    return imports + [
        f"{module.at(node)} {ast.unparse(node.func)}()"
        for module in route_modules()
        for node in module.select(ast.Call)
        if isinstance(node.func, ast.Attribute) and node.func.attr in OPENERS
    ]


def database_in_routes() -> list[str]:
    """Imports of the database package in modules of routes; its errors may be imported."""
    return [
        f"{module.at(node)} import {name}"
        for module in route_modules()
        for node, name in imported_names(module)
        if name.startswith("yarrow.db.") and ".errors." not in name
    ]


def route_modules() -> list[Module]:
    return [m for m in modules() if m.path.startswith("protocols/") and "routes" in m.name]


def imported_names(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Every imported module or name in full: `yarrow.points.store`, `yarrow.db.Database`."""
    for node in module.select(ast.Import):
        for alias in node.names:
            yield node, alias.name
    for source in module.select(ast.ImportFrom):
        for alias in source.names:
            yield source, f"{source.module}.{alias.name}"
