"""The newest movements of the account's points."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from yarrow.db import Database
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.points.model import LedgerEntry
from yarrow.points.read import read_ledger
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription
from yarrow.tools.words import WORDS, ToolWords


class LedgerArguments(Arguments, frozen=True):
    limit: Annotated[int, Meta(ge=1, le=20, description="How many movements at most")] = 10


class PointsLedger:
    """Reads the caller's ledger."""

    description = ToolDescription(
        name="points_ledger",
        description="The newest movements of the user's points: when, how many, why, and the "
        "balance afterwards, the newest first.",
        parameters=build_parameters(LedgerArguments),
    )

    def __init__(self, database: Database) -> None:
        self._database = database

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        limit = read_arguments(LedgerArguments, arguments).limit
        ledger = await read_ledger(self._database, caller.account_id, limit=limit)
        movements = [_describe_entry(entry, caller) for entry in ledger.entries]
        has_more = ledger.next_before is not None
        text = encode_json({"movements": movements, "has_more": has_more}).decode()
        return ToolAnswer(text, _make_card(ledger.entries, caller, WORDS[caller.language]))


def _describe_entry(entry: LedgerEntry, caller: ToolCaller) -> JsonObject:
    return {
        "date": _write_date(entry, caller),
        "points": int(entry.direction) * entry.amount,
        "why": entry.change_type.value,
        "balance_after": entry.balance_after,
    }


def _make_card(entries: Sequence[LedgerEntry], caller: ToolCaller, words: ToolWords) -> JsonObject:
    if not entries:
        return {"title": words.no_movements}
    rows: list[JsonValue] = [
        [
            _write_date(entry, caller),
            words.changes[entry.change_type],
            f"{int(entry.direction) * entry.amount:+d}",
            entry.balance_after,
        ]
        for entry in entries
    ]
    return {
        "title": words.movements,
        "table": {"columns": list(words.ledger_columns), "rows": rows},
    }


def _write_date(entry: LedgerEntry, caller: ToolCaller) -> str:
    return f"{entry.created_at.astimezone(caller.zone):%Y-%m-%d %H:%M}"
