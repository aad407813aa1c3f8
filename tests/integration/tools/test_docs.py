"""The page about tools: its table is complete, and its sample works."""

import re
from pathlib import Path

from tests.integration.tools.calling import make_caller, make_tools
from tests.loose_json import JsonObject, JsonValue
from tests.new_account import new_account
from tests.ui_schema_page import broken_rules

from yarrow.agents.assistant.summarise_table import SummariseTable
from yarrow.db import Database
from yarrow.tables.model import Tables
from yarrow.uischema import compile_stored_card

PAGE = (Path(__file__).parents[3] / "docs" / "howto" / "tools.md").read_text("utf-8")


def test_every_tool_is_in_the_table_with_its_arguments(database: Database, tables: Tables) -> None:
    tools = make_tools(database, more=(SummariseTable(tables),))
    rows = {row.split("`")[1]: row for row in PAGE.splitlines() if row.startswith("| `")}

    assert set(rows) == set(tools)
    for name in set(tools) - {"show_card"}:
        arguments: JsonValue = tools[name].description.parameters["properties"]
        assert all(f"`{argument}`" in rows[name] for argument in arguments), name


async def test_the_sample_is_a_tool(database: Database) -> None:
    (source,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    made: JsonObject = {"__name__": "sample"}
    exec(source, made)

    caller = make_caller(await new_account(database))
    answer = await made["CountCharacters"]().call({"text": "六爻"}, caller)

    assert answer.text == "2"
    card = compile_stored_card(answer.card)
    assert card is not None
    assert broken_rules(card) == []
