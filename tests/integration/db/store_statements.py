"""All SQL statements of the stores, read from their source.

The first argument of each `tx.fetch*`, `tx.execute` and `tx.cursor` is evaluated with the names of
its module.
Statements that a function puts together from local names are listed by hand.
"""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from uuid import UUID

import yarrow
from yarrow.assets.model import AssetSort, SortOrder
from yarrow.assets.store import _LISTED as ASSETS_LISTED
from yarrow.assets.store import _SEARCH as ASSETS_SEARCH
from yarrow.assets.store import _SORTS as ASSET_SORTS
from yarrow.ids import SessionId, TurnId
from yarrow.memory import job_store
from yarrow.memory import list_store as memory_store
from yarrow.product_events.story_tools import ExecutionStatus
from yarrow.runs import transitions
from yarrow.sessions import history_store
from yarrow.sessions.store import build_after_session
from yarrow.stories import commit_store
from yarrow.stories.model import StorySort
from yarrow.stories.store import _LISTING as STORY_LISTING
from yarrow.stories.store import _SORTS as STORY_SORTS
from yarrow.stories.tools import store as call_store
from yarrow.stories.tools.replay_rules import CallFilter
from yarrow.tables.store import _COLUMNS as TABLE_COLUMNS

SOURCE = Path(yarrow.__file__).parent
DDL = {SOURCE / "journal" / "partition_store.py"}
BY_HAND = {
    "yarrow.assets.store:list_assets",
    "yarrow.memory.job_store:list_jobs",
    "yarrow.memory.list_store:count_items",
    "yarrow.memory.list_store:list_items",
    "yarrow.operations.backup_store:count_rows",
    "yarrow.operations.backup_store:read_stored_rows",
    "yarrow.runs.transitions:_fetch_start",
    "yarrow.runs.transitions:complete_run",
    "yarrow.runs.transitions:fail_run",
    "yarrow.sessions.history_store:read_latest_answers",
    "yarrow.stories.store:list_sessions",
    "yarrow.stories.tools.store:list_calls",
    "yarrow.tables.store:list_tables",
}
"""Functions whose statements depend on local names: see `_local_statements`."""

_METHODS = ("fetch", "fetchrow", "fetchval", "execute", "cursor")


def list_statements() -> dict[str, str]:
    """Statements by where they are: `module:function:line`."""
    found = {
        f"{function}:{line}": text
        for function, line, text in _read_stores()
        if text is not None and ";" not in text
    }
    return found | {f"by hand: {name}": text for name, text in _local_statements()}


def list_unreadable() -> set[str]:
    """Functions with a statement that depends on local names."""
    return {function for function, _, text in _read_stores() if text is None}


def _read_stores() -> Iterator[tuple[str, int, str | None]]:
    """Function, line and text of each statement."""
    stores = {*SOURCE.rglob("*store.py"), SOURCE / "runs" / "transitions.py"} - DDL
    for path in sorted(stores):
        module = import_module(
            ".".join(("yarrow", *path.relative_to(SOURCE).with_suffix("").parts))
        )
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.AsyncFunctionDef):
                for call in ast.walk(function):
                    if isinstance(call, ast.Call) and _is_statement(call):
                        text = _evaluate(call.args[0], module)
                        yield f"{module.__name__}:{function.name}", call.lineno, text


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
    for number, start in enumerate(transitions._STARTS.values()):
        yield f"start a run, {number}", start.text
    yield "start the first run", transitions._START_FIRST.text
    for replaces_flushed in (False, True):
        for part in ("", commit_store._NEW_TURN):
            statement = transitions._build_completion(part, replaces_flushed=replaces_flushed)
            yield f"complete a run, {replaces_flushed}, {bool(part)}", statement.text
        yield f"fail a run, {replaces_flushed}", transitions._FAILS[replaces_flushed].text
    yield "latest answers", history_store._LATEST_ANSWERS.format(after="")
    yield (
        "latest answers, after",
        history_store._LATEST_ANSWERS.format(after=build_after_session(4)),
    )
    for story_sort in StorySort:
        for order in SortOrder:
            order_by = f"{STORY_SORTS[story_sort]} {order}, s.id {order}"
            listed_order = order_by.replace("s.", "listed.")
            listing = STORY_LISTING.format(order=order_by, listed_order=listed_order)
            yield f"stories by {story_sort} {order}", listing
    for asset_sort in AssetSort:
        for order in SortOrder:
            yield (
                f"assets by {asset_sort} {order}",
                f"SELECT a.id FROM assets a WHERE {ASSETS_LISTED} ORDER BY "
                f"{ASSET_SORTS[asset_sort]} {order}, a.id {order} LIMIT $3 OFFSET $4",
            )
            yield (
                f"assets found by {asset_sort} {order}",
                ASSETS_SEARCH.format(order=f"{ASSET_SORTS[asset_sort]} {order}, a.id {order}"),
            )
    yield from _local_lists()
    yield "count assets", f"SELECT count(*) FROM assets a WHERE {ASSETS_LISTED}"
    for behind in ("", "AND (created_at, id) > ($4, $5)"):
        yield (
            f"tables {behind}",
            f"SELECT {TABLE_COLUMNS} FROM datasets WHERE account_id = $1 AND workspace = $2 "
            f"AND live {behind} ORDER BY created_at, id LIMIT $3",
        )


def _local_lists() -> Iterator[tuple[str, str]]:
    """Lists whose rows are read from one of several indexes, and their counts."""
    jobs = (job_store._OF_ACCOUNT, *job_store._OF_STATUS.values(), job_store._OF_SESSION)
    for number, statements in enumerate(jobs):
        yield f"jobs, {number}", statements.listing
        yield f"count jobs, {number}", statements.count
    items = {
        "of a session": memory_store._OF_SESSION,
        "of an account": memory_store._OF_ACCOUNT,
        "of a key": memory_store._OF_KEY,
        "macro": memory_store._MACRO,
        "deprecated": memory_store._MAYBE_DEPRECATED,
        "compacted": memory_store._MAYBE_COMPACTED,
        **{f"of the kind {kind}": text for kind, text in memory_store._OF_KIND.items()},
        **{f"of the scope {scope}": text for scope, text in memory_store._OF_SCOPE.items()},
    }
    for name, matching in items.items():
        yield f"count memories, {name}", memory_store._COUNTS.format(matching=matching)
        yield f"memories, {name}", memory_store._LISTING.format(matching=matching)
    session, turn, tool = SessionId(UUID(int=1)), TurnId(UUID(int=2)), "roll_dice"
    for number, where in enumerate(
        (
            CallFilter(None, None, None, None),
            CallFilter(None, None, tool, None),
            CallFilter(None, None, None, ExecutionStatus.ERROR),
            CallFilter(None, turn, None, None),
            CallFilter(session, None, None, None),
            CallFilter(session, turn, tool, ExecutionStatus.SUCCESS),
        )
    ):
        listing, counting = call_store.build_list_statements(where)
        yield f"calls, {number}", listing
        yield f"count calls, {number}", counting
