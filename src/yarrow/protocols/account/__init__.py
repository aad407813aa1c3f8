"""Accounts (seed 003): signup, login, profile, points and ledger."""

from yarrow.accounts.authentication import Authentication
from yarrow.http.error_formats import make_problem_format
from yarrow.http.protocol import WireProtocol
from yarrow.protocols.account.activity.routes import make_activity_router
from yarrow.protocols.account.routes import make_account_router
from yarrow.runs.engine import Engine


def protocol(engine: Engine, authentication: Authentication) -> WireProtocol:
    return WireProtocol(
        routers=[make_account_router(engine, authentication), make_activity_router(engine)],
        error_formats=[make_problem_format("/api/v1")],
    )
