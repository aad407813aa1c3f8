"""SQL of a branch's history: its messages as a prompt needs them, thousands in one statement.

What was read of a history is kept in memory. `sessions.history_version` tells whether it is still
valid: then only the turns behind it are read.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import count, repeat
from typing import Any

from msgspec import Struct

from yarrow.db import Row
from yarrow.ids import BranchId, SessionId
from yarrow.kit.cache import LruCache
from yarrow.prompting.model import PromptRole
from yarrow.sessions.turn_store import ON_PATH
from yarrow.stories.model import HistoryMessage

_HISTORY = f"""
SELECT m.role, m.content, t.id::text AS turn_id, m.id::text AS message_id,
       t.seq - 1 AS turn_number, m.metadata ? 'greeting' AS is_greeting,
       CASE WHEN m.page_slot IS NULL OR m.page_slot = m.id THEN m.seq
            ELSE (SELECT first.seq FROM messages first WHERE first.id = m.page_slot) END AS seq,
       CASE WHEN NOT m.metadata ? 'role' THEN coalesce(m.metadata ->> 'name', '') END AS speaker,
       m.visibility_mask & 2 = 0 AS hidden, date_part('epoch', m.created_at) AS created_s,
       m.page_no AS version_number, m.page_slot
FROM path JOIN turns t ON {ON_PATH} JOIN messages m ON m.turn_id = t.id
WHERE t.status IN ('answered', 'superseded') AND m.deleted_at IS NULL AND m.page_active
  AND m.role <> 'tool'
  AND t.seq >= CASE WHEN s.history_version = $4 AND br.id = $5 THEN $6 ELSE 0 END
"""  # noqa: S608

_ARRAYS = ("role", "content", "turn_id", "message_id", "turn_number", "speaker", "created_s")
_HISTORY_ARRAYS = ", ".join(f"array_agg({name}) AS history_{name}" for name in (*_ARRAYS, "seq"))

JOIN_HISTORY = f"""
LEFT JOIN LATERAL (
    SELECT {_HISTORY_ARRAYS},
           array_agg(message_id) FILTER (WHERE hidden) AS history_hidden,
           array_agg(message_id) FILTER (WHERE is_greeting) AS history_greetings,
           json_object_agg(message_id, json_build_array(version_number, (
               SELECT count(*) FROM messages p
               WHERE p.page_slot = message.page_slot AND p.deleted_at IS NULL
           ))) FILTER (WHERE page_slot IS NOT NULL) AS history_versions
    FROM ({_HISTORY}) AS message
) history ON true
"""  # noqa: S608
"""Join for a statement that begins with `BRANCH_PATH`, joins the branch as `br` and selects
`s.history_version` and `history.*`: the messages on the path, of answered turns only, as one array
per field. $4 to $6 are those of a `ReadHistory`; where it is valid, its turns are left out.

Arrays are decoded faster than rows. They are not sorted: PostgreSQL would sort texts, which takes a
quarter of the statement's time. An array of all messages costs more than the join, so what few
messages have is listed by message id."""

_ROLES = {role.value: role for role in PromptRole}

MOST_BYTES = 16 * 1024 * 1024
"""How much of all histories is kept in memory: six stories of 2,000 short turns."""
_MESSAGE_BYTES = 500
"""A message without its text."""


class ReadHistory(Struct, frozen=True):
    """The beginning of a branch's history, valid for one version of its session."""

    version: int
    branch_id: BranchId | None
    next_seq: int
    """The number of the first turn that it does not have."""
    messages: Sequence[HistoryMessage]
    bytes: int = 0
    """About how much memory the messages take."""

    @property
    def arguments(self) -> tuple[int, BranchId | None, int]:
        return self.version, self.branch_id, self.next_seq

    def is_valid(self, row: Row) -> bool:
        return (row["history_version"], row["branch_id"]) == (self.version, self.branch_id)


NOTHING_READ = ReadHistory(-1, None, 0, ())


class ReadHistories:
    """Keeps what was read of branches' histories. Any process may have changed them since: the
    statement that reads the rest decides whether a kept part is valid."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._histories: LruCache[tuple[SessionId, str], ReadHistory] = LruCache(most_bytes)

    def find(self, session_id: SessionId, branch: str) -> ReadHistory:
        return self._histories.get((session_id, branch)) or NOTHING_READ

    def keep(
        self, session_id: SessionId, branch: str, row: Row, history: Sequence[HistoryMessage]
    ) -> None:
        """Keep all but the newest turn, which is replaced more often than all others."""
        end = _count_before_last_turn(history)
        if not end:
            return
        before = self.find(session_id, branch)
        known = before if before.is_valid(row) and len(before.messages) <= end else NOTHING_READ
        added = [2 * len(each.content) for each in history[len(known.messages) : end]]
        part = ReadHistory(
            row["history_version"],
            row["branch_id"],
            next_seq=1 + (history[-1].turn_number or 0),
            messages=history[:end],
            bytes=known.bytes + sum(added) + _MESSAGE_BYTES * len(added),
        )
        self._histories.put((session_id, branch), part, size=part.bytes)


def _count_before_last_turn(history: Sequence[HistoryMessage]) -> int:
    end = len(history) - 1
    while end > 0 and history[end - 1].turn_ids == history[-1].turn_ids:
        end -= 1
    return max(end, 0)


def decode_history(row: Row, before: ReadHistory = NOTHING_READ) -> Sequence[HistoryMessage]:
    """Decode the columns of `JOIN_HISTORY`, oldest message first, behind what was read before."""
    earlier = before.messages if before.is_valid(row) else ()
    if row["history_seq"] is None:
        return earlier
    roles, contents, turn_ids, ids, numbers, speakers, times = _list_columns(row)
    version_numbers, version_counts = _list_versions(ids, row["history_versions"])
    messages = map(
        HistoryMessage,
        map(_ROLES.__getitem__, roles),
        contents,
        zip(turn_ids, strict=True),
        zip(ids, strict=True),
        speakers,
        numbers,
        _mark_listed(ids, row["history_greetings"]),
        count(len(earlier)),
        _mark_listed(ids, row["history_hidden"]),
        times,
        version_numbers,
        version_counts,
    )
    return [*earlier, *messages]


def _list_columns(row: Row) -> list[Sequence[Any]]:
    """The arrays in the order of the messages, in which rows are mostly stored."""
    columns = [row[f"history_{name}"] for name in _ARRAYS]
    numbers, seqs = row["history_turn_number"], row["history_seq"]
    if numbers == sorted(numbers) and seqs == sorted(seqs):
        return columns
    order = [index for _, _, index in sorted(zip(numbers, seqs, range(len(seqs)), strict=True))]
    return [[column[index] for index in order] for column in columns]


def _mark_listed(ids: Sequence[str], listed: Sequence[str] | None) -> Iterable[bool]:
    """For each message, whether it is listed."""
    return map(frozenset(listed).__contains__, ids) if listed else repeat(object=False)


def _list_versions(
    ids: Sequence[str], versions: Mapping[str, tuple[int, int]] | None
) -> tuple[Iterable[int], Iterable[int]]:
    """The version number of each message, and how many versions it has; most have one."""
    if not versions:
        return repeat(0), repeat(1)
    pairs = [versions.get(message_id, (0, 1)) for message_id in ids]
    return (number for number, _ in pairs), (number for _, number in pairs)
