"""Accounts (seed 003): signup, login, profile, points and ledger."""

from yarrow.accounts.authentication import Authentication
from yarrow.db import Database
from yarrow.http.error_middleware import make_problem_format
from yarrow.http.protocol import WireProtocol
from yarrow.protocols.account.routes import account_routes


def protocol(database: Database, authentication: Authentication) -> WireProtocol:
    return WireProtocol(
        routers=[
            account_routes(database, sign_up=authentication.sign_up, log_in=authentication.log_in)
        ],
        error_formats=[make_problem_format("/api/v1")],
    )
