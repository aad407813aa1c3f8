"""The commands of "Connect your database" work as printed."""

import re
import sqlite3
from pathlib import Path

from tests.protocols.ndjson.test_docs import BLOCK, ROOT, local, run_printed
from tests.serving import Served

from yarrow.sources.connector.driver import EXTRAS

__all__ = ["local"]

PAGE = (ROOT / "docs" / "howto" / "connect-your-database.md").read_text("utf-8")


async def test_a_database_is_connected_in_three_commands(local: Served, tmp_path: Path) -> None:
    blocks = [block for kind, block in BLOCK.findall(PAGE) if kind == "sh" and "shop" in block]

    _, connected, found, loaded = [await run_printed(each, local, tmp_path) for each in blocks]

    assert sqlite3.connect(tmp_path / "shop.db").execute("SELECT count(*) FROM orders").fetchone()
    assert b'"table_count":1' in connected
    assert b'"table_key":"orders"' in found
    assert b'"table_name":"totals","row_count":2' in loaded


def test_the_page_names_the_extra_of_every_kind() -> None:
    extras = set(re.findall(r"yarrow\[(\w+)\]", PAGE))

    assert extras == set(EXTRAS.values())
