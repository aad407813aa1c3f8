"""All SQL statements of the stores, read from their source.

The first argument of each `tx.fetch*` and `tx.execute` is evaluated with the names of its module.
Statements that a function puts together from local names are listed by hand.
"""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType

from yarrow.assets.model import AssetSort, SortOrder
from yarrow.assets.store import _LISTED as ASSETS_LISTED
from yarrow.assets.store import _SORTS as ASSET_SORTS
from yarrow.runs import transitions
from yarrow.sessions import store as sessions
from yarrow.stories.model import StorySort
from yarrow.stories.store import _LISTED as STORIES_LISTED
from yarrow.stories.store import _SORTS as STORY_SORTS

STORES = (
    "accounts.store",
    "assets.store",
    "attachments.store",
    "http.idempotency_store",
    "points.store",
    "runs.journal.store",
    "runs.store",
    "runs.transitions",
    "sessions.branch_store",
    "sessions.replace_store",
    "sessions.store",
    "sessions.turn_store",
    "stories.store",
    "tables.store",
    "variables.store",
)

_METHODS = ("fetch", "fetchrow", "fetchval", "execute")


def list_statements() -> dict[str, str]:
    """Statements by where they are: `module:function:line`."""
    modules = [import_module(f"yarrow.{name}") for name in STORES]
    found = {at: text for module in modules for at, text in _read_module(module)}
    return found | {f"by hand: {name}": text for name, text in _local_statements()}


def _read_module(module: ModuleType) -> Iterator[tuple[str, str]]:
    for function in ast.walk(ast.parse(inspect.getsource(module))):
        if not isinstance(function, ast.AsyncFunctionDef):
            continue
        for call in ast.walk(function):
            if isinstance(call, ast.Call) and _is_statement(call):
                text = _evaluate(call.args[0], module)
                if text is not None and ";" not in text:
                    yield f"{module.__name__}:{function.name}:{call.lineno}", text


def _is_statement(call: ast.Call) -> bool:
    target = call.func
    return (
        isinstance(target, ast.Attribute)
        and target.attr in _METHODS
        and isinstance(target.value, ast.Name)
        and target.value.id == "tx"
    )


def _evaluate(node: ast.expr, module: ModuleType) -> str | None:
    """The text of a statement; None if it depends on local names."""
    code = compile(ast.Expression(node), "<statement>", "eval")
    try:
        return str(eval(code, vars(module)))
    except NameError:
        return None


def _local_statements() -> Iterator[tuple[str, str]]:
    for name in ("_START_NEW", "_START_REPLACEMENT", "_START_RETRY"):
        yield name, getattr(transitions, name).text
    yield "latest answers", sessions._LATEST_ANSWERS.format(after="")
    yield "latest answers, after", sessions._LATEST_ANSWERS.format(after=sessions._AFTER_SESSION)
    for story_sort in StorySort:
        for order in SortOrder:
            yield (
                f"stories by {story_sort} {order}",
                f"SELECT s.id FROM sessions s WHERE {STORIES_LISTED} ORDER BY "
                f"{STORY_SORTS[story_sort]} {order}, s.id {order} LIMIT $4 OFFSET $5",
            )
    for asset_sort in AssetSort:
        for order in SortOrder:
            yield (
                f"assets by {asset_sort} {order}",
                f"SELECT a.id FROM assets a WHERE {ASSETS_LISTED} ORDER BY "
                f"{ASSET_SORTS[asset_sort]} {order}, a.id {order} LIMIT $3 OFFSET $4",
            )
    yield "count stories", f"SELECT count(*) FROM sessions s WHERE {STORIES_LISTED}"
    yield "count assets", f"SELECT count(*) FROM assets a WHERE {ASSETS_LISTED}"
