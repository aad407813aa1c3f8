"""The data agent's protocol (seed 001): JSON envelopes, and streams of JSON lines."""

from yarrow.accounts.secret import signing_secret
from yarrow.agents.analyst.signing import code_signer
from yarrow.http.protocol import WireProtocol
from yarrow.protocols.ndjson.charts.export import ChartExport
from yarrow.protocols.ndjson.charts.routes import chart_routes
from yarrow.protocols.ndjson.errors import UNROUTED
from yarrow.protocols.ndjson.files.routes import file_routes
from yarrow.protocols.ndjson.reports.routes import report_routes
from yarrow.protocols.ndjson.streams.checkpoint import Checkpoints
from yarrow.protocols.ndjson.streams.routes import stream_routes
from yarrow.protocols.ndjson.tables.routes import table_routes
from yarrow.rendering.renderer import Renderer
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import Settings
from yarrow.tables.model import Shelf


def protocol(
    engine: Engine, executions: Executions, *, settings: Settings, shelf: Shelf, renderer: Renderer
) -> WireProtocol:
    secret = signing_secret(settings)
    export = ChartExport(renderer, shelf)
    return WireProtocol(
        hot_routers=[
            stream_routes(engine, executions, shelf=shelf, checkpoints=Checkpoints(secret))
        ],
        routers=[
            table_routes(shelf),
            file_routes(shelf),
            report_routes(export),
            chart_routes(export, code_signer(secret)),
        ],
        error_formats=[UNROUTED],
    )
