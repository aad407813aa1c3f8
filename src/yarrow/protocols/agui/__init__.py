"""AG-UI (seeds 000 and 002): runs, history, attachments and speech."""

from yarrow.accounts.server_secrets import read_signing_secret
from yarrow.http.error_formats import make_problem_format
from yarrow.http.signed_access import AccessSigner
from yarrow.http.wire_protocol import WireProtocol
from yarrow.protocols.agui.attachments.routes import make_attachment_router
from yarrow.protocols.agui.attachments.urls import make_url_builder
from yarrow.protocols.agui.runs.routes import make_cancel_router, make_run_router
from yarrow.protocols.agui.sessions.routes import make_session_router
from yarrow.protocols.agui.signed_addresses.routes import make_address_router
from yarrow.protocols.agui.speech.routes import make_speech_router
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import Settings
from yarrow.speech.recogniser import Recogniser


def protocol(
    engine: Engine, executions: Executions, *, settings: Settings, recogniser: Recogniser
) -> WireProtocol:
    urls = make_url_builder(settings)
    access = AccessSigner(read_signing_secret(settings), engine.clock)
    return WireProtocol(
        hot_routers=[make_run_router(engine, executions, urls, access)],
        routers=[
            make_cancel_router(engine, executions),
            make_session_router(engine, executions, urls, access),
            make_address_router(engine, urls, access),
            make_attachment_router(engine, urls),
            make_speech_router(recogniser),
        ],
        error_formats=[make_problem_format("/api/v1")],
    )
