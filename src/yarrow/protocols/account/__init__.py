"""Accounts (seed 003): signup, login, profile, points, ledger; lists, operations, configuration."""

from yarrow.accounts.authentication import Authentication
from yarrow.http.error_formats import make_problem_format
from yarrow.http.wire_protocol import WireProtocol
from yarrow.operations.doctor import ExplainNoPython
from yarrow.protocols.account.activity.routes import make_activity_router
from yarrow.protocols.account.auth.routes import make_auth_router
from yarrow.protocols.account.configuration.routes import make_configuration_router
from yarrow.protocols.account.operations.routes import make_operations_router
from yarrow.protocols.account.points.routes import make_points_router
from yarrow.protocols.account.profile.routes import make_profile_router
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
            make_auth_router(authentication),
            make_points_router(engine),
            make_profile_router(engine),
            make_activity_router(engine),
            make_operations_router(engine, executions, settings, why_no_python),
            make_configuration_router(configuration),
        ],
        error_formats=[make_problem_format("/api/v1")],
    )
