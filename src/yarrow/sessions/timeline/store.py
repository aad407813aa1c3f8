"""SQL of timelines: lineages, and floors with their pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from yarrow.db import Row, Tx
from yarrow.ids import AccountId, BranchId, MessageId, SessionId, TurnId, new_uuid
from yarrow.sessions.model import Role, TurnStatus, Visibility
from yarrow.sessions.store import MAIN_BRANCH, decode_details
from yarrow.sessions.timeline.model import Floor, NewFloor, NewSlot, Page, TurnPlace, Utterance

FEW = 100
BATCH = 2_000
"""Floors in one statement: enough to be quick, few enough to stay within a statement's time."""

LINE = """
WITH RECURSIVE line AS (
    SELECT id, name, parent_branch_id, forked_after_seq, forked_after_turn,
           2147483647 AS upto, NULL::uuid AS last
    FROM branches WHERE session_id = $1 AND name = $2 AND deleted_at IS NULL
    UNION ALL
    SELECT p.id, p.name, p.parent_branch_id, p.forked_after_seq, p.forked_after_turn,
           c.forked_after_seq, c.forked_after_turn
    FROM branches p JOIN line c ON p.id = c.parent_branch_id
)
"""
"""A branch and its ancestors, each with the turn after which it was left."""

_ON_LINE = """
t.session_id = $1 AND t.branch_id = line.id AND t.seq <= line.upto
AND CASE WHEN t.seq = line.upto THEN t.id = line.last ELSE t.status <> 'superseded' END
"""
"""The turn of a fork counts even when the parent replaced it since."""

_TURN = """
t.id AS turn_id, t.session_id, t.seq AS turn_seq, t.status, t.superseded_by,
t.created_at AS began_at, t.updated_at AS changed_at,
coalesce((SELECT p.id FROM turns p
          WHERE p.branch_id = t.branch_id AND p.seq < t.seq AND p.status = 'answered'
          ORDER BY p.seq DESC LIMIT 1), b.forked_after_turn) AS parent_id,
b.name AS branch
"""

_PAGE = """
m.id, m.page_slot, m.page_no, m.page_active, m.seq, m.role, m.content, m.visibility_mask,
m.metadata::text AS details, m.input_tokens, m.output_tokens, m.created_at
"""

_PAGES_OF_TURN = """
LEFT JOIN messages m ON m.turn_id = t.id AND m.deleted_at IS NULL AND m.role <> 'tool'
"""

_TIMELINE = f"""
{LINE}, part AS (
    SELECT t.* FROM line JOIN turns t ON {_ON_LINE}
    ORDER BY t.seq LIMIT $3 OFFSET $4
)
SELECT {_TURN}, {_PAGE}
FROM part t JOIN branches b ON b.id = t.branch_id {_PAGES_OF_TURN}
ORDER BY t.seq, m.seq
"""  # noqa: S608


async def read_timeline(
    tx: Tx, session_id: SessionId, branch: str, *, limit: int | None = None, offset: int = 0
) -> tuple[Floor, ...]:
    """The floors one meets on the way to a branch's end, with all their pages."""
    return _floors(await tx.fetch(_TIMELINE, session_id, branch, limit, offset))


async def count_timeline(tx: Tx, session_id: SessionId, branch: str) -> int:
    found = await tx.fetchval(
        f"{LINE} SELECT count(*) FROM line JOIN turns t ON {_ON_LINE}",  # noqa: S608
        session_id,
        branch,
    )
    return int(found)


_SAID = f"""
SELECT m.role, m.content, t.id::text AS turn_id, t.seq - 1 AS floor_no, m.id::text AS message_id,
       m.visibility_mask & 2 = 0 AS hidden, date_part('epoch', m.created_at) AS said_at,
       m.metadata ? 'greeting' AS from_card, m.page_no,
       CASE WHEN m.page_slot IS NULL THEN 1 ELSE (
           SELECT count(*) FROM messages p WHERE p.page_slot = m.page_slot AND p.deleted_at IS NULL
       ) END AS page_count
FROM line JOIN turns t ON {_ON_LINE} JOIN messages m ON m.turn_id = t.id
WHERE t.status IN ('answered', 'superseded') AND m.deleted_at IS NULL AND m.page_active
  AND m.role <> 'tool'
ORDER BY t.seq, m.seq
"""  # noqa: S608

_TOLD = {name: f"said_{name}" for name in Utterance.__struct_fields__}

LINEAGE = f"""
LEFT JOIN LATERAL (
    SELECT {", ".join(f"array_agg({name}) AS {told}" for name, told in _TOLD.items())}
    FROM ({_SAID}) AS said
) lineage ON true
"""  # noqa: S608
"""What was said on the way to a branch's end, without turns that failed or are open: a column of
each field, for a statement that begins with `LINE` and says `lineage.*`."""

_ROLES = {role.value: role for role in Role}


def utterances_of(row: Row) -> list[Utterance]:
    """The lineage of a row that has it, oldest first."""
    roles, *others = (row[told] or () for told in _TOLD.values())
    return list(map(Utterance, map(_ROLES.__getitem__, roles), *others))


_FLOORS = f"""
SELECT {_TURN}, {_PAGE}
FROM (
    SELECT t.* FROM turns t JOIN branches b ON b.id = t.branch_id AND b.deleted_at IS NULL
    WHERE t.session_id = $1 AND t.status <> 'superseded' AND ($2::text IS NULL OR b.name = $2)
    ORDER BY t.seq, t.created_at LIMIT $3 OFFSET $4
) t JOIN branches b ON b.id = t.branch_id {_PAGES_OF_TURN}
ORDER BY t.seq, t.created_at, t.id, m.seq
"""  # noqa: S608


async def read_floors(
    tx: Tx, session_id: SessionId, branch: str | None, *, limit: int, offset: int
) -> tuple[Floor, ...]:
    """The live floors of all branches of a session, or those that lie on one of them."""
    return _floors(await tx.fetch(_FLOORS, session_id, branch, limit, offset))


async def count_floors(tx: Tx, session_id: SessionId, branch: str | None) -> int:
    found = await tx.fetchval(
        "SELECT count(*) FROM turns t JOIN branches b ON b.id = t.branch_id "
        "WHERE t.session_id = $1 AND t.status <> 'superseded' AND b.deleted_at IS NULL "
        "AND ($2::text IS NULL OR b.name = $2)",
        session_id,
        branch,
    )
    return int(found)


async def read_floor(tx: Tx, turn_id: TurnId) -> Floor | None:
    """One floor, live or not; None if its branch was deleted."""
    rows = await tx.fetch(
        f"SELECT {_TURN}, {_PAGE} FROM turns t "  # noqa: S608
        f"JOIN branches b ON b.id = t.branch_id AND b.deleted_at IS NULL {_PAGES_OF_TURN} "
        "WHERE t.id = $1 ORDER BY m.seq",
        turn_id,
    )
    return next(iter(_floors(rows)), None)


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page, and where its turn lies."""

    page: Page
    place: TurnPlace


_PLACE = """
t.id AS turn_id, t.session_id, t.branch_id, t.seq AS turn_seq, t.status,
b.name AS branch, s.user_id AS account_id
"""
_PLACED = """
JOIN branches b ON b.id = t.branch_id AND b.deleted_at IS NULL
JOIN sessions s ON s.id = t.session_id AND s.deleted_at IS NULL
"""


async def find_turn(tx: Tx, turn_id: TurnId) -> TurnPlace | None:
    row = await tx.fetchrow(
        f"SELECT {_PLACE} FROM turns t {_PLACED} WHERE t.id = $1",  # noqa: S608
        turn_id,
    )
    return None if row is None else _place(row)


async def find_pages(tx: Tx, message_ids: Sequence[MessageId]) -> tuple[FoundPage, ...]:
    rows = await tx.fetch(
        f"SELECT {_PLACE}, {_PAGE} FROM messages m "  # noqa: S608
        f"JOIN turns t ON t.id = m.turn_id {_PLACED} "
        "WHERE m.id = ANY($1) AND m.deleted_at IS NULL",
        message_ids,
    )
    return tuple(FoundPage(_page(row), _place(row)) for row in rows)


async def activate_page(tx: Tx, page: Page) -> None:
    """Show this page in place of its alternates. The session must be locked.

    Two statements: within one the index would meet two active pages, in whichever order.
    """
    await tx.execute(
        "UPDATE messages SET page_active = false, updated_at = now() "
        "WHERE page_slot = $1 AND page_active AND id <> $2",
        page.slot,
        page.id,
    )
    await tx.execute(
        "UPDATE messages SET page_active = true, updated_at = now() "
        "WHERE id = $1 AND NOT page_active",
        page.id,
    )


async def set_hidden(tx: Tx, slots: Sequence[MessageId], *, hidden: bool) -> None:
    """Keep messages and their alternates out of prompts, or let them in again."""
    await tx.execute(
        "UPDATE messages SET updated_at = now(), visibility_mask = "
        "CASE WHEN $2 THEN visibility_mask & ~2 ELSE visibility_mask | 2 END "
        "WHERE id = ANY($1) OR page_slot = ANY($1)",
        slots,
        hidden,
    )


_OPEN_SESSION = """
WITH made AS (
    INSERT INTO sessions (id, user_id, title, status) VALUES ($1, $2, $3, 'completed')
    RETURNING id
)
INSERT INTO branches (id, session_id, name) SELECT $4, id, $5 FROM made
"""


async def open_session(
    tx: Tx,
    session_id: SessionId,
    account_id: AccountId,
    *,
    title: str | None,
    main: BranchId,
) -> None:
    """A session with an empty main branch."""
    await tx.execute(_OPEN_SESSION, session_id, account_id, title, main, MAIN_BRANCH)


async def insert_floors(
    tx: Tx, session_id: SessionId, branch_id: BranchId, *, floors: Sequence[NewFloor]
) -> None:
    """Store answered turns on a branch as they are. The session must be new, or locked."""
    if len(floors) > FEW:
        await tx.execute(_PLAN_FOR_MANY)
    for start in range(0, len(floors), BATCH):
        await _insert_batch(tx, session_id, branch_id, floors[start : start + BATCH])


_PLAN_FOR_MANY = "SET LOCAL enable_seqscan = off; DISCARD PLANS"
"""Plans are kept, those of foreign keys too. One that was made when the tables were small looks
through all of `turns` for each message, and of an import makes a hundred times the work."""

_INSERT_TURNS = """
INSERT INTO turns (id, session_id, branch_id, seq, status)
SELECT f.id, $1, $2, f.seq, 'answered' FROM unnest($3::uuid[], $4::int[]) AS f (id, seq)
"""

_INSERT_PAGES = """
WITH stored AS (
    INSERT INTO messages (id, session_id, turn_id, seq, role, content, visibility_mask, metadata,
        page_slot, page_no, page_active, created_at)
    SELECT p.id, $1, p.turn_id,
           p.n + coalesce((SELECT max(seq) FROM messages WHERE session_id = $1), 0),
           p.role, p.content, p.visibility, p.metadata, p.slot, p.number, p.active,
           coalesce(p.created_at, now())
    FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::int[], $7::jsonb[],
                $8::uuid[], $9::int[], $10::bool[], $11::timestamptz[])
         WITH ORDINALITY AS p (id, turn_id, role, content, visibility, metadata,
                               slot, number, active, created_at, n)
    RETURNING 1
)
UPDATE sessions SET message_count = message_count + (SELECT count(*) FROM stored),
    last_activity_at = now(), updated_at = now()
WHERE id = $1
"""


async def _insert_batch(
    tx: Tx, session_id: SessionId, branch_id: BranchId, floors: Sequence[NewFloor]
) -> None:
    await tx.execute(
        _INSERT_TURNS, session_id, branch_id, [f.id for f in floors], [f.seq for f in floors]
    )
    pages = [page for floor in floors for slot in floor.slots for page in _rows(floor.id, slot)]
    await tx.execute(_INSERT_PAGES, session_id, *map(list, zip(*pages, strict=True)))


def _rows(turn_id: TurnId, slot: NewSlot) -> list[tuple[object, ...]]:
    """The columns of each page. An utterance without alternates has no slot."""
    ids = [new_uuid() for _ in slot.texts]
    return [
        (
            page_id,
            turn_id,
            slot.role,
            text,
            int(slot.visibility),
            slot.details,
            ids[0] if len(ids) > 1 else None,
            number,
            number == slot.shown,
            slot.said_at,
        )
        for number, (page_id, text) in enumerate(zip(ids, slot.texts, strict=True))
    ]


def _floors(rows: Sequence[Row]) -> tuple[Floor, ...]:
    """Rows of one turn follow each other; a turn without pages has one row without a message."""
    return tuple(_floor(list(of_turn)) for _, of_turn in groupby(rows, lambda r: r["turn_id"]))


def _floor(rows: list[Row]) -> Floor:
    row = rows[0]
    return Floor(
        id=TurnId(row["turn_id"]),
        session_id=SessionId(row["session_id"]),
        branch=row["branch"],
        seq=row["turn_seq"],
        status=TurnStatus(row["status"]),
        parent_id=row["parent_id"],
        superseded_by=row["superseded_by"],
        created_at=row["began_at"],
        updated_at=row["changed_at"],
        pages=tuple(_page(row) for row in rows if row["id"] is not None),
    )


def _page(row: Row) -> Page:
    return Page(
        id=MessageId(row["id"]),
        turn_id=TurnId(row["turn_id"]),
        slot=MessageId(row["page_slot"] or row["id"]),
        number=row["page_no"],
        active=row["page_active"],
        seq=row["seq"],
        role=Role(row["role"]),
        content=row["content"],
        visibility=Visibility(row["visibility_mask"]),
        details=decode_details(row["details"]),
        tokens=(row["input_tokens"], row["output_tokens"]),
        created_at=row["created_at"],
    )


def _place(row: Row) -> TurnPlace:
    return TurnPlace(
        id=TurnId(row["turn_id"]),
        account_id=AccountId(row["account_id"]),
        session_id=SessionId(row["session_id"]),
        branch_id=BranchId(row["branch_id"]),
        branch=row["branch"],
        seq=row["turn_seq"],
        status=TurnStatus(row["status"]),
    )
