"""Stories from before migration 0029 keep what their turns wrote to global variables."""

import json
import shutil
from pathlib import Path
from uuid import UUID

import asyncpg

from yarrow.db.migrate import find_migrations_folder, list_revisions, upgrade_if_behind

ACCOUNT, SESSION, BRANCH = (UUID(int=number) for number in (1, 2, 3))
REPLIES = [UUID(int=0x100 + number) for number in range(4)]
"""Three turns in a row, and a page that was replaced."""
OLD_ROWS = """
SET LOCAL session_replication_role = replica;
INSERT INTO auth.users (id, email) VALUES ('{account}', 'a@example.org');
INSERT INTO sessions (id, user_id) VALUES ('{session}', '{account}');
INSERT INTO turns (id, session_id, branch_id, seq, status)
    SELECT ('00000000-0000-0000-0000-00000000010' || n)::uuid, '{session}', '{branch}', n + 1,
           'answered' FROM generate_series(0, 3) AS n;
INSERT INTO messages (id, session_id, turn_id, seq, role, content)
    SELECT id, session_id, id, seq, 'assistant', '' FROM turns;
INSERT INTO turn_states (reply_id, turn_id, variables, writes) VALUES
    ('{r[0]}', '{r[0]}', '{{}}', '[{{"scope": "global", "key": "g", "value": "1",
        "was_missing": true}}, {{"scope": "branch", "key": "b", "value": "x"}}]'),
    ('{r[1]}', '{r[1]}', '{{}}', '[{{"scope": "global", "key": "g", "value": "2",
        "old_value": "1", "old_writer": "{r[0]}"}}]'),
    ('{r[2]}', '{r[2]}', '{{}}', '[{{"scope": "global", "key": "g", "value": "3",
        "old_value": "2", "old_writer": "{r[1]}"}}]'),
    ('{r[3]}', '{r[3]}', '{{}}', '[{{"scope": "global", "key": "g", "value": "9",
        "old_value": "2", "old_writer": "{r[1]}"}}]');
INSERT INTO variables (account_id, scope, scope_id, key, value, written_by)
    VALUES ('{account}', 'global', 'global', 'g', '"3"', '{r[2]}');
"""


async def test_writes_that_follow_each_other_all_stand(empty_database: str, tmp_path: Path) -> None:
    earlier = tmp_path / "migrations"
    shutil.copytree(find_migrations_folder(), earlier)
    for revision in (each for each in list_revisions() if each >= "0029"):
        for file in (earlier / "versions").glob(f"{revision}_*"):
            file.unlink()
    await upgrade_if_behind(empty_database, folder=earlier)
    connection = await asyncpg.connect(empty_database)
    try:
        async with connection.transaction():
            names = {"account": ACCOUNT, "session": SESSION, "branch": BRANCH, "r": REPLIES}
            await connection.execute(OLD_ROWS.format(**names))
        await upgrade_if_behind(empty_database)

        query = "SELECT reply_id, value #>> '{}' FROM global_writes WHERE stands ORDER BY number"
        standing = [tuple(row) for row in await connection.fetch(query)]
        assert standing == [(None, None), *zip(REPLIES[:3], "123", strict=True)]
        assert await connection.fetchval("SELECT count(*) FROM global_writes") == 5
        left = "SELECT count(*) FROM turn_states, json_array_elements(writes)"
        assert await connection.fetchval(left) == 1
        shown = "SELECT reply_id, global_writes FROM turn_states ORDER BY reply_id"
        writes = [json.loads(row["global_writes"]) for row in await connection.fetch(shown)]
        assert writes == [[{"scope": "global", "name": "g", "value": each}] for each in "1239"]
    finally:
        await connection.close()
