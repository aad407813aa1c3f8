"""What the account has to spend."""

from typing import Protocol

from yarrow.ids import AccountId
from yarrow.kit.json import JsonObject, encode_json
from yarrow.tools.arguments import Arguments, parameters_of, read_arguments
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription
from yarrow.tools.words import WORDS


class PointsView(Protocol):
    """The figures of an account."""

    @property
    def balance(self) -> int: ...
    @property
    def frozen_balance(self) -> int: ...
    @property
    def available(self) -> int: ...
    @property
    def lifetime_spent(self) -> int: ...


class BalanceReader(Protocol):
    """Looks up an account's points."""

    async def read_balance(self, account_id: AccountId) -> PointsView: ...


class NoArguments(Arguments, frozen=True):
    pass


class PointsBalance:
    """Tells the caller's own points."""

    description = ToolDescription(
        name="points_balance",
        description="The user's points: what can be spent, what is held for runs that are still "
        "going (this one included), and what was spent so far.",
        parameters=parameters_of(NoArguments),
    )

    def __init__(self, points: BalanceReader) -> None:
        self._points = points

    async def call(self, arguments: JsonObject, caller: ToolCaller) -> ToolAnswer:
        read_arguments(NoArguments, arguments)
        points = await self._points.read_balance(caller.account_id)
        words = WORDS[caller.language]
        said = {
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
        return ToolAnswer(encode_json(said).decode(), {"title": words.points, "facts": facts})
