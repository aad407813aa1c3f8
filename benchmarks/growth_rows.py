"""Rows of a large account and of a crowd of others, made by SQL inside the database.

Ids look like version 7 UUIDs: the time first, so that indexes are filled in the order in which a
product in use would fill them.
"""

from datetime import timedelta

import asyncpg
from msgspec import Struct

RUNS_PER_SESSION = 10
EACH = 5
"""Assets, tables, variables and attachments of each account of the crowd."""
STORY_SHARE = 2
"""Each second session is a story."""
KINDS = ("preset", "worldbook", "regex_profile", "character", "persona")
WORKSPACE = "default"


class GrowthSizes(Struct, frozen=True):
    """How many rows there are in all; the large account has half of the sessions."""

    sessions: int = 10_000
    """Of the large account; the crowd has as many."""
    assets: int = 10_000
    tables: int = 5_000
    long_story: int = 5_000
    """Turns of the longest story."""
    crowd: int = 200
    """Accounts beside the two that are measured."""
    turns: int = 25
    """Of each session."""
    small_sessions: int = 240
    small_assets: int = 1_000
    """Of the small account: a page of each list is full and a bounded search or count ends at its
    bound, so that both accounts get as much."""

    def scaled(self, factor: float) -> "GrowthSizes":
        sizes = (self.sessions, self.assets, self.tables, self.long_story)
        return GrowthSizes(*(max(100, round(size * factor)) for size in sizes))

    @property
    def messages(self) -> int:
        return (2 * self.sessions + self.small_sessions) * self.turns * 2 + 2 * self.long_story

    @property
    def runs(self) -> int:
        return (2 * self.sessions + self.small_sessions) * RUNS_PER_SESSION


# Without triggers of foreign keys: the rows agree by construction, and the checks would take most
# of the time.
_BEGIN = """
SET session_replication_role = replica;
SET synchronous_commit = off;
CREATE FUNCTION pg_temp.make_id(kind int, n bigint, moment timestamptz) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM moment) * 1000)::bigint), 12, '0') || '7'
            || lpad(to_hex(kind), 3, '0') || '8000' || lpad(to_hex(n), 12, '0'))::uuid
$$;
CREATE TEMP TABLE filled (
    n bigint, id uuid, account_id uuid, created_at timestamptz, turns int, step interval,
    is_story boolean
);
"""

_END = """
RESET session_replication_role;
RESET synchronous_commit;
DROP TABLE filled;
DROP FUNCTION pg_temp.make_id;
"""

_CROWD = """
INSERT INTO auth.users (email)
SELECT 'crowd-' || n || '@example.com' FROM generate_series($2 + 1, $1 + $2) n
RETURNING id
"""

# $1 accounts, $2 sessions each, $3 number of the first, $4 turns, $5 every so many is a story,
# $6 age of the newest
_CHOOSE_SESSIONS = """
INSERT INTO filled
SELECT n, pg_temp.make_id(1, n, moment), account_id, moment, $4,
       interval '50 hours' / $4::int, n % $5 = 0
FROM (
    SELECT $3 + row_number() OVER () AS n, account_id,
           now() - $6::interval - k * interval '61 minutes' AS moment
    FROM generate_series($2 - 1, 0, -1) k, unnest($1::uuid[]) account_id
) numbered
"""

_SESSIONS = """
INSERT INTO sessions (id, user_id, title, status, message_count, last_activity_at, created_at,
    updated_at, has_answer)
SELECT id, account_id, 'Session ' || n || ' about 工作', 'completed', turns * 2,
       created_at + turns * step, created_at, created_at + turns * step, TRUE
FROM filled;
INSERT INTO branches (id, session_id, name)
SELECT pg_temp.make_id(2, n, created_at), id, 'main' FROM filled;
INSERT INTO turns (id, session_id, branch_id, seq, status, created_at)
SELECT pg_temp.make_id(3, n * 10000 + k, created_at + k * step), id,
       pg_temp.make_id(2, n, created_at), k, 'answered', created_at + k * step
FROM filled, generate_series(1, turns) k;
"""

_MESSAGES = """
INSERT INTO messages (id, session_id, turn_id, seq, role, content, model_code, input_tokens,
    output_tokens, created_at)
SELECT pg_temp.make_id(4, n * 20000 + k, at), id, pg_temp.make_id(3, n * 10000 + (k + 1) / 2, at),
       k, CASE WHEN k % 2 = 1 THEN 'user' ELSE 'assistant' END,
       CASE WHEN k % 2 = 1 THEN '我最近想换工作，第 ' || n || '-' || k || ' 次问：是否合适？'
            ELSE 'Answer ' || n || '-' || k || ': 先看清楚再决定。 The weather in Paris is '
                 || 'fine, and ' || md5(n || '-' || k) || ' is a number.' END,
       CASE WHEN k % 2 = 0 THEN 'stub' END, 20, 40, at
FROM filled, generate_series(1, turns * 2) k,
     LATERAL (SELECT created_at + ((k + 1) / 2) * step AS at) moment
"""

_RUNS = """
INSERT INTO runs (id, account_id, session_id, branch_id, turn_id, key, digest, agent, input, price,
    status, attempt, created_at, started_at, ended_at)
SELECT pg_temp.make_id(5, n * 1000 + k, at), account_id, id, pg_temp.make_id(2, n, created_at),
       pg_temp.make_id(3, n * 10000 + k, at), 'run-' || k, '\\x00', 'assistant',
       '{"text": "hello"}', 20, 'succeeded', 1, at, at, at
FROM filled, generate_series(1, least(turns, $1)) k,
     LATERAL (SELECT created_at + k * step AS at) moment
"""

_TOOL_CALLS = """
INSERT INTO tool_executions (run_id, call_id, tool_name, arguments, result, status, session_id,
    turn_id, account_id, reply_id, provider_id, provider_type, side_effect, outcome, message,
    duration_ms, attempt, number, created_at)
SELECT pg_temp.make_id(5, n * 1000 + k, at), 'call_' || k, 'roll_dice', '{}', '{"total": 4}',
       'success', id, pg_temp.make_id(3, n * 10000 + k, at),
       CASE WHEN is_story THEN account_id END, NULL, 'builtin', 'builtin', 'none', 'committed',
       'Rolled 1d6', 1, 1, 1, at
FROM filled, generate_series(1, least(turns, $1)) k,
     LATERAL (SELECT created_at + k * step AS at) moment
"""

_LEDGER = """
INSERT INTO points_ledger (id, user_id, direction, amount, balance_after, change_type, biz_type,
    biz_id, event_id, metadata, created_at)
SELECT pg_temp.make_id(6, n * 1000 + k, at), account_id, -1, 20, 1000000, 'consume', 'chat', id,
       'chat.run.success:' || id || ':run-' || k,
       jsonb_build_object('schema_version', 1, 'operator_type', 'user', 'run_id', 'run-' || k,
           'charge', jsonb_build_object('message_id', id::text, 'message_seq', 2, 'model_code',
               'stub', 'input_tokens', 20, 'output_tokens', 40, 'cost', '0')), at
FROM filled, generate_series(1, least(turns, $1)) k,
     LATERAL (SELECT created_at + k * step AS at) moment
"""

_ASSETS = """
WITH inserted AS (
    INSERT INTO assets (id, account_id, kind, name, version, created_at, updated_at)
    SELECT pg_temp.make_id(7, $3 + n, at), $1, ($4::text[])[1 + n % 5],
           CASE WHEN n % 2 = 0 THEN '人物 ' ELSE 'Asset ' END || n, 1, at, at
    FROM generate_series(1, $2) n, LATERAL (SELECT now() - n * interval '5 minutes' AS at) moment
    RETURNING id, created_at, name
)
INSERT INTO asset_versions (id, asset_id, version, content, content_hash, created_at)
SELECT gen_random_uuid(), id, 1, json_build_object('name', name), md5(name), created_at
FROM inserted
"""

_CROWD_ROWS = """
WITH rows AS MATERIALIZED (
    SELECT gen_random_uuid() AS id, account_id, n
    FROM unnest($1::uuid[]) account_id, generate_series(1, $2) n
), new_assets AS (
    INSERT INTO assets (id, account_id, kind, name, version)
    SELECT id, account_id, 'preset', 'Preset ' || n, 1 FROM rows
), new_versions AS (
    INSERT INTO asset_versions (id, asset_id, version, content, content_hash)
    SELECT id, id, 1, '{}', '' FROM rows
), new_tables AS (
    INSERT INTO datasets (id, account_id, workspace, name, original_name, source_type, row_count,
        bytes, live)
    SELECT id, account_id, $3, 'table_' || n, 'table', 'upload', 1, 1, TRUE FROM rows
), new_variables AS (
    INSERT INTO variables (account_id, scope, scope_id, key, value)
    SELECT account_id, 'global', 'global', 'key ' || n, '1' FROM rows
), new_keys AS (
    INSERT INTO idempotency_keys (account_id, key, digest, status, body)
    SELECT account_id, 'key ' || n, '\\x00', 200, '' FROM rows
)
INSERT INTO attachments (id, account_id, path, mime_type, bytes, message_id)
SELECT id, account_id, 'agent-inputs/' || account_id || '/' || id, 'image/png', 9, id FROM rows
"""

_STORIES = """
WITH bound AS (
INSERT INTO session_bindings (session_id, archived_at, character_id, character_version)
SELECT f.id, CASE WHEN n % 20 = 0 THEN now() END, a.id, 1
FROM filled f JOIN LATERAL (
    SELECT id FROM assets WHERE account_id = f.account_id AND kind = 'character'
    ORDER BY created_at LIMIT 1
) a ON TRUE
WHERE is_story
RETURNING session_id, archived_at, character_id
)
UPDATE sessions s
SET is_story = TRUE, is_archived = b.archived_at IS NOT NULL, character_id = b.character_id
FROM bound b WHERE b.session_id = s.id
"""

_MEMORIES = """
INSERT INTO memory_items (id, account_id, scope, session_id, kind, tier, content, importance,
    confidence, replies, source_turn, created_at, updated_at)
SELECT pg_temp.make_id(9, n * 1000 + k, at), account_id, 'chat', id, 'summary', 'micro',
       'They spoke about 工作 for the ' || k || '. time.', 0.5, 1, '{}', NULL, at, at
FROM filled, generate_series(1, least(turns, $1)) k,
     LATERAL (SELECT created_at + k * step AS at) moment
WHERE is_story
"""

_MEMORY_JOBS = """
INSERT INTO memory_jobs (id, account_id, session_id, branch_id, kind, payload, status, attempt,
    claimed_at, created_at, updated_at)
SELECT pg_temp.make_id(10, n * 1000 + k, at), account_id, id, pg_temp.make_id(2, n, created_at),
       'turn', '{}', 'succeeded', 1, at, at, at
FROM filled, generate_series(1, least(turns, $1)) k,
     LATERAL (SELECT created_at + k * step AS at) moment
WHERE is_story
"""

_TABLES = """
INSERT INTO datasets (id, account_id, workspace, name, original_name, source_type, columns, sample,
    row_count, bytes, live, created_at)
SELECT pg_temp.make_id(8, $3 + n, at), $1, $4, 'table_' || $3 + n, 'table ' || n, 'upload',
       '[{"name": "city", "type": "VARCHAR"}, {"name": "sales", "type": "DOUBLE"}]',
       '[{"city": "Paris", "sales": 1.5}, {"city": "北京", "sales": 2}]', 2, 900, TRUE, at
FROM generate_series(1, $2) n, LATERAL (SELECT now() - n * interval '1 minute' AS at) moment
"""


async def fill_database(dsn: str, *, small: str, large: str, sizes: GrowthSizes) -> None:
    """Insert everything, then VACUUM and ANALYZE as autovacuum would do in time."""
    connection = await asyncpg.connect(dsn)
    try:
        await fill(connection, small=small, large=large, sizes=sizes)
        await connection.execute("VACUUM ANALYZE")
    finally:
        await connection.close()


async def fill(
    connection: asyncpg.Connection, *, small: str, large: str, sizes: GrowthSizes, first: int = 0
) -> None:
    """Insert the rows of both accounts and a crowd; `first` is above the numbers used before."""
    crowd = [row["id"] for row in await connection.fetch(_CROWD, sizes.crowd, first)]
    await connection.execute(_BEGIN)
    try:
        each = max(1, sizes.sessions // sizes.crowd)
        newest, old = timedelta(hours=80), timedelta(days=500)
        for values in (
            (crowd, each, first, sizes.turns, STORY_SHARE, newest),
            ([large], sizes.sessions, first + 1_000_000, sizes.turns, STORY_SHARE, newest),
            ([small], sizes.small_sessions, first + 2_000_000, sizes.turns, STORY_SHARE, newest),
            ([large], 1, first + 2_999_999, sizes.long_story, 1, old),
            ([small], 1, first + 2_999_998, 100, 1, old),
        ):
            await connection.execute(_CHOOSE_SESSIONS, *values)
        await connection.execute(_SESSIONS)
        await connection.execute(_MESSAGES)
        await connection.execute(_RUNS, RUNS_PER_SESSION)
        await connection.execute(_TOOL_CALLS, RUNS_PER_SESSION)
        await connection.execute(_LEDGER, RUNS_PER_SESSION)
        for account_id, count, number in (
            (large, sizes.assets, 0),
            (small, sizes.small_assets, 1_000_000),
        ):
            await connection.execute(_ASSETS, account_id, count, first + number, list(KINDS))
        await connection.execute(_STORIES)
        await connection.execute(_MEMORIES, RUNS_PER_SESSION)
        await connection.execute(_MEMORY_JOBS, RUNS_PER_SESSION)
        await connection.execute(_CROWD_ROWS, crowd, EACH, WORKSPACE)
        for account_id, count, number in ((large, sizes.tables, 0), (small, 20, 1_000_000)):
            await connection.execute(_TABLES, account_id, count, first + number, WORKSPACE)
    finally:
        await connection.execute(_END)
