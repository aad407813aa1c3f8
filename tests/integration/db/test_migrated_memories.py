"""Memories from before migration 0035 that an edge hides are in the lists of hidden ones."""

import shutil
from pathlib import Path
from uuid import UUID

import asyncpg

from yarrow.db.migrate import find_migrations_folder, list_revisions, upgrade_if_behind

ACCOUNT, PLAIN, OLD, SUMMED = (UUID(int=number) for number in range(1, 5))
OLD_ROWS = """
INSERT INTO auth.users (id, email) VALUES ('{account}', 'a@example.org');
INSERT INTO memory_items (id, account_id, scope, kind, content, importance, confidence)
    SELECT id, '{account}', 'global', 'fact', '', 0, 0
    FROM unnest(ARRAY['{plain}', '{old}', '{summed}']::uuid[]) id;
INSERT INTO memory_edges (id, account_id, source_id, target_id, relation) VALUES
    (gen_random_uuid(), '{account}', '{plain}', '{old}', 'updates'),
    (gen_random_uuid(), '{account}', '{plain}', '{summed}', 'compacts'),
    (gen_random_uuid(), '{account}', '{summed}', '{plain}', 'supports');
"""


async def test_edges_mark_what_they_hide(empty_database: str, tmp_path: Path) -> None:
    earlier = tmp_path / "migrations"
    shutil.copytree(find_migrations_folder(), earlier)
    for revision in (each for each in list_revisions() if each >= "0035"):
        for file in (earlier / "versions").glob(f"{revision}_*"):
            file.unlink()
    await upgrade_if_behind(empty_database, folder=earlier)
    connection = await asyncpg.connect(empty_database)
    try:
        names = {"account": ACCOUNT, "plain": PLAIN, "old": OLD, "summed": SUMMED}
        await connection.execute(OLD_ROWS.format(**names))
        await upgrade_if_behind(empty_database)

        marked = "SELECT id, may_be_deprecated, may_be_compacted FROM memory_items ORDER BY id"
        rows = [tuple(row) for row in await connection.fetch(marked)]
        assert rows == [(PLAIN, False, False), (OLD, True, False), (SUMMED, False, True)]
    finally:
        await connection.close()
