"""Accounts (seed 003): signup, login, profile, points and ledger."""

from yarrow.accounts.entrance import Entrance
from yarrow.db import Database
from yarrow.http.error_middleware import make_problem_format
from yarrow.http.protocol import WireProtocol
from yarrow.protocols.account.routes import account_routes


def protocol(database: Database, entrance: Entrance) -> WireProtocol:
    return WireProtocol(
        routers=[account_routes(database, sign_up=entrance.sign_up, log_in=entrance.log_in)],
        error_formats=[make_problem_format("/api/v1")],
    )
