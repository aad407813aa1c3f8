"""SQL of a branch's history: its messages as a prompt needs them, thousands in one statement."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

from yarrow.db import Row
from yarrow.sessions.model import HistoryMessage, Role
from yarrow.sessions.turn_store import ON_PATH

_HISTORY = f"""
SELECT m.role, m.content, t.id::text AS turn_id, t.seq - 1 AS turn_number, m.seq,
       m.id::text AS message_id, m.visibility_mask & 2 = 0 AS hidden,
       date_part('epoch', m.created_at) AS created_s, m.metadata ? 'greeting' AS is_greeting,
       m.page_no AS version_number, m.page_slot,
       CASE WHEN m.role = 'assistant' AND NOT m.metadata ? 'role' THEN m.metadata ->> 'name'
       END AS speaker
FROM path JOIN turns t ON {ON_PATH} JOIN messages m ON m.turn_id = t.id
WHERE t.status IN ('answered', 'superseded') AND m.deleted_at IS NULL AND m.page_active
  AND m.role <> 'tool'
"""  # noqa: S608

_HISTORY_ARRAYS = ", ".join(
    f"array_agg({name}) AS history_{name}"
    for name in (
        "role",
        "content",
        "turn_id",
        "turn_number",
        "message_id",
        "created_s",
        "speaker",
        "seq",
    )
)

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
"""Join for a statement that begins with `BRANCH_PATH` and selects `history.*`: the messages on the
path, of answered turns only, as one array per field. Arrays are decoded faster than rows. They are
not sorted: PostgreSQL would sort texts, which takes a quarter of the statement's time. An array of
all messages costs more than the join, so what few messages have is listed by message id."""

_ROLES = {role.value: role for role in Role}


def decode_history(row: Row) -> list[HistoryMessage]:
    """Decode the columns of `JOIN_HISTORY`, oldest message first."""
    ids, numbers, seqs = row["history_message_id"], row["history_turn_number"], row["history_seq"]
    if ids is None:
        return []
    version_numbers, version_counts = _list_versions(ids, row["history_versions"])
    messages = list(
        map(
            HistoryMessage,
            map(_ROLES.__getitem__, row["history_role"]),
            row["history_content"],
            row["history_turn_id"],
            numbers,
            ids,
            _mark_listed(ids, row["history_hidden"]),
            row["history_created_s"],
            _mark_listed(ids, row["history_greetings"]),
            version_numbers,
            version_counts,
            row["history_speaker"],
        )
    )
    if numbers == sorted(numbers) and seqs == sorted(seqs):  # rows are mostly stored in order
        return messages
    order = sorted(zip(numbers, seqs, range(len(messages)), strict=True))
    return [messages[index] for _, _, index in order]


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
    return (number for number, _ in pairs), (count for _, count in pairs)
