"""Accounts (seed 003): signup, login, profile, points, ledger; lists, operations, configuration."""

from yarrow.accounts.authentication import Authentication
from yarrow.http.error_formats import make_problem_format
from yarrow.http.wire_protocol import WireProtocol
from yarrow.operations.doctor import ExplainNoPython
from yarrow.protocols.account.activity.routes import make_activity_router
from yarrow.protocols.account.configuration.routes import make_configuration_router
from yarrow.protocols.account.operations.routes import make_operations_router
from yarrow.protocols.account.routes import make_account_router
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import Settings
from yarrow.web.configuration import ClientConfiguration


def protocol(
    engine: Engine,
    executions: Executions,
    *,
    authentication: Authentication,
    settings: Settings,
    configuration: ClientConfiguration,
    why_no_python: ExplainNoPython,
) -> WireProtocol:
    return WireProtocol(
        routers=[
            make_account_router(engine, authentication),
            make_activity_router(engine),
            make_operations_router(engine, executions, settings, why_no_python),
            make_configuration_router(configuration),
        ],
        error_formats=[make_problem_format("/api/v1")],
    )
