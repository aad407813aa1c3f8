"""The points of the account."""

from yarrow.db import Database
from yarrow.kit.json import JsonObject, encode_json
from yarrow.points.read import read_balance
from yarrow.tools.arguments import Arguments, build_parameters, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription
from yarrow.tools.words import WORDS


class NoArguments(Arguments, frozen=True):
    pass


class PointsBalance:
    """Reads the caller's points."""

    description = ToolDescription(
        name="points_balance",
        description="The user's points: what can be spent, what is held for runs that are still "
        "going (this one included), and what was spent so far.",
        parameters=build_parameters(NoArguments),
    )

    def __init__(self, database: Database) -> None:
        self._database = database

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        read_arguments(NoArguments, arguments)
        points = await read_balance(self._database, caller.account_id)
        words = WORDS[caller.language]
        result = {
            "balance": points.balance,
            "held": points.frozen_balance,
            "available": points.available,
            "spent": points.lifetime_spent,
        }
        facts = {
            words.available: points.available,
            words.held: points.frozen_balance,
            words.spent: points.lifetime_spent,
        }
        return ToolAnswer(encode_json(result).decode(), {"title": words.points, "facts": facts})
