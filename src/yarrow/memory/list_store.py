"""SQL of lists of memories and their counts.

Each filter that an index selects by has a statement of its own, so that few matches are found
without reading the account's other memories.
"""

from yarrow.db import Tx
from yarrow.db.list_total import ListTotal, build_total, limit_count
from yarrow.db.patterns import escape_like
from yarrow.ids import AccountId
from yarrow.memory.model import (
    MemoryFilter,
    MemoryItem,
    MemoryLifecycle,
    MemoryScope,
    MemoryScopeRef,
)
from yarrow.memory.store import (
    ITEM_COLUMNS,
    build_item,
    join_branch,
    join_items,
    make_live_condition,
)
from yarrow.prompting.choose_memories import MemoryKind, SummaryTier


def _make_listed_condition(replies: str) -> str:
    """A condition: every one of these replies is among $11, the live ones of a branch, or, if that
    is null, in some branch."""
    in_some_branch = make_live_condition(replies)
    return f"CASE WHEN $11::uuid[] IS NULL THEN {in_some_branch} ELSE {replies} <@ $11 END"


_LIFECYCLE = """
CASE WHEN NOT i.is_active OR EXISTS (
         SELECT 1 FROM unnest(hiding.relations) r WHERE r <> 'compacts') THEN 'deprecated'
     WHEN hiding.relations IS NOT NULL THEN 'compacted' ELSE 'active' END
"""

_FILTERED = f"""
FROM memory_items i {join_items(_make_listed_condition, "{source}")}
  AND ($2::text IS NULL OR i.scope = $2)
  AND ($4::uuid IS NULL OR i.branch_id = $4)
  AND ($5::uuid IS NULL OR i.turn_id = $5)
  AND ($6::text IS NULL OR i.kind = $6)
  AND ($7::text IS NULL OR i.tier = $7)
  AND ($8::text[] IS NULL OR {_LIFECYCLE} = ANY($8))
  AND ($9::text IS NULL OR i.fact_key = $9)
  AND ($10::text IS NULL OR i.content ILIKE $10 OR i.fact_key ILIKE $10)
"""
_OF_SESSION = _FILTERED.format(source="(i.account_id = $1) IS TRUE AND i.session_id = $3")
"""The account of a session cannot be looked up in an index because of the IS TRUE."""


def _filter_account(condition: str) -> str:
    return _FILTERED.format(source=f"i.account_id = $1 AND $3::uuid IS NULL AND {condition}")


# One for each filter that an index selects by; the other filters test what the index finds.
_OF_ACCOUNT = _filter_account("TRUE")
_OF_KEY = _filter_account("i.fact_key = $9")
_MACRO = _filter_account("i.tier = 'macro'")
_MAYBE_DEPRECATED = _filter_account("(NOT i.is_active OR i.may_be_deprecated)")
_MAYBE_COMPACTED = _filter_account("i.may_be_compacted")
_OF_KIND = {kind: _filter_account(f"i.kind = '{kind}'") for kind in MemoryKind}
_OF_SCOPE = {scope: _filter_account(f"i.scope = '{scope}'") for scope in MemoryScope}

_LISTING = f"""
WITH matching AS MATERIALIZED (
    SELECT i.id, i.created_at {{matching}} ORDER BY i.created_at DESC, i.id LIMIT $12
)
SELECT (SELECT count(*) FROM matching) AS total, listed.* FROM (SELECT 1) AS one LEFT JOIN (
    SELECT {ITEM_COLUMNS} FROM (
        SELECT m.id AS listed_id FROM matching m
        ORDER BY m.created_at DESC, m.id LIMIT $13 OFFSET $14
    ) part JOIN memory_items i ON i.id = listed_id {join_branch(_make_listed_condition)}
) listed ON TRUE ORDER BY listed.created_at DESC, listed.id
"""  # noqa: S608
_COUNTS = f"""
SELECT scope, kind, tier, lifecycle, count(*) AS count FROM (
    SELECT i.scope, i.kind, i.tier, {_LIFECYCLE} AS lifecycle {{matching}}
    ORDER BY i.created_at DESC LIMIT $12
) counted GROUP BY 1, 2, 3, 4
"""  # noqa: S608


async def list_items(
    tx: Tx, account_id: AccountId, where: MemoryFilter, *, limit: int, offset: int
) -> tuple[tuple[MemoryItem, ...], ListTotal]:
    """List some of the account's memories, newest first, and count those that match."""
    rows = await tx.fetch(
        _LISTING.format(matching=_choose_source(where)),
        *_filter_values(account_id, where),
        limit_count(limit, offset),
        limit,
        offset,
    )
    total = build_total(rows[0]["total"], limit=limit, offset=offset)
    return tuple(build_item(row) for row in rows if row["id"] is not None), total


async def count_items(
    tx: Tx, account_id: AccountId, where: MemoryFilter
) -> tuple[tuple[tuple[str, str, str | None, str, int], ...], ListTotal]:
    """Count the newest of the account's memories by scope, kind, tier and lifecycle."""
    rows = await tx.fetch(
        _COUNTS.format(matching=_choose_source(where)),
        *_filter_values(account_id, where),
        limit_count(0, 0),
    )
    counts = tuple(
        (row["scope"], row["kind"], row["tier"], row["lifecycle"], row["count"]) for row in rows
    )
    return counts, build_total(sum(count[-1] for count in counts), limit=0, offset=0)


def _choose_source(where: MemoryFilter) -> str:
    if where.session_id or (where.place and where.place.session_id):
        return _OF_SESSION
    if where.fact_key is not None:
        return _OF_KEY
    if where.tier is SummaryTier.MACRO:
        return _MACRO
    lifecycles = _list_lifecycles(where)
    if lifecycles is not None and MemoryLifecycle.ACTIVE not in lifecycles:
        is_compacted = MemoryLifecycle.COMPACTED in lifecycles
        return _MAYBE_COMPACTED if is_compacted else _MAYBE_DEPRECATED
    kind = MemoryKind.SUMMARY if where.tier else where.kind
    if kind is not None:
        return _OF_KIND[kind]
    return _OF_ACCOUNT if where.place is None else _OF_SCOPE[where.place.scope]


def _list_lifecycles(where: MemoryFilter) -> list[str] | None:
    """The lifecycles that both filters allow; None if neither is given."""
    asked = None if where.lifecycle is None else [where.lifecycle.value]
    if where.status is None:
        return asked
    deprecated = MemoryLifecycle.DEPRECATED.value
    is_deprecated = where.status.value == deprecated
    of_status = [deprecated] if is_deprecated else ["active", "compacted"]
    return [each for each in of_status if asked is None or each in asked]


def _filter_values(account_id: AccountId, where: MemoryFilter) -> tuple[object, ...]:
    place = where.place or MemoryScopeRef(MemoryScope.GLOBAL)
    return (
        account_id,
        None if where.place is None else place.scope.value,
        where.session_id or place.session_id,
        place.branch_id,
        place.turn_id,
        where.kind,
        where.tier,
        _list_lifecycles(where),
        where.fact_key,
        f"%{escape_like(where.text)}%" if where.text else None,
        where.live_replies,
    )
