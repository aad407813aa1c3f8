"""AG-UI (seeds 000 and 002): runs, history, attachments and speech."""

from yarrow.http.error_middleware import make_problem_format
from yarrow.http.protocol import WireProtocol
from yarrow.protocols.agui.attachments.routes import attachment_routes
from yarrow.protocols.agui.attachments.urls import make_url_builder
from yarrow.protocols.agui.runs.routes import run_routes
from yarrow.protocols.agui.sessions.routes import session_routes
from yarrow.protocols.agui.speech.routes import speech_routes
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import Settings
from yarrow.speech.recogniser import Recogniser


def protocol(
    engine: Engine, executions: Executions, *, settings: Settings, recogniser: Recogniser
) -> WireProtocol:
    urls = make_url_builder(settings)
    return WireProtocol(
        hot_routers=[run_routes(engine, executions, urls)],
        routers=[
            session_routes(engine, executions, urls),
            attachment_routes(engine, urls),
            speech_routes(recogniser),
        ],
        error_formats=[make_problem_format("/api/v1")],
    )
