"""Parts of a statement that store a turn and its input, each after a comma.

`runs/start_store.py` puts them behind a `session`, and a `target` if the turn replaces one; the row
of the run comes behind them.
"""

NEW_TURN = """, branch AS (
    INSERT INTO branches (id, session_id, name)
    SELECT :branch_id, id, :branch FROM session
    ON CONFLICT (session_id, name) DO UPDATE SET name = excluded.name
    RETURNING id, forked_after_seq AS fork
), turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq)
    SELECT :turn_id, :session_id, branch.id,
           1 + coalesce((SELECT max(seq) FROM turns WHERE branch_id = branch.id AND live), fork, 0)
    FROM branch
    RETURNING id, branch_id, seq
)"""

FIRST_TURN = """, branch AS (
    INSERT INTO branches (id, session_id, name) SELECT :branch_id, id, :branch FROM session
    RETURNING id
), turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq)
    SELECT :turn_id, :session_id, branch.id, 1 FROM branch
    RETURNING id, branch_id, seq
), message AS (
    INSERT INTO messages (id, session_id, seq, role, content, metadata, turn_id, visibility_mask)
    SELECT :message_id, :session_id, 1, :role, :content, :metadata, turn.id, :visibility
    FROM turn
)"""
"""The turn and the input of a session that this statement inserts: nothing is numbered before."""

REPLACING_TURN = """, turn AS (
    INSERT INTO turns (id, session_id, branch_id, seq, live, replaces)
    SELECT :turn_id, session.id, target.branch_id, target.seq, FALSE, target.id FROM session, target
    RETURNING id, branch_id, seq
)"""

INPUT_MESSAGE = """, message AS (
    INSERT INTO messages (id, session_id, seq, role, content, metadata, turn_id, visibility_mask)
    SELECT :message_id, :session_id,
           1 + coalesce((SELECT max(seq) FROM messages WHERE session_id = :session_id), 0),
           :role, :content, :metadata, turn.id, :visibility
    FROM turn
)"""
