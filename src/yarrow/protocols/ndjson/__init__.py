"""The data agent's protocol (seed 001): JSON envelopes, and streams of JSON lines."""

from yarrow.accounts.server_secrets import read_signing_secret
from yarrow.agents.analyst.chart.make_chart import make_code_signer
from yarrow.http.wire_protocol import WireProtocol
from yarrow.protocols.ndjson.charts.export import ChartExport
from yarrow.protocols.ndjson.charts.routes import make_chart_router
from yarrow.protocols.ndjson.error_responses import UNROUTED
from yarrow.protocols.ndjson.files.routes import make_file_router
from yarrow.protocols.ndjson.reports.routes import make_report_router
from yarrow.protocols.ndjson.sources.routes import make_source_router
from yarrow.protocols.ndjson.streams.routes import make_stream_router
from yarrow.protocols.ndjson.streams.trajectory import TrajectorySigner
from yarrow.protocols.ndjson.tables.routes import make_table_router
from yarrow.rendering.renderer import Renderer
from yarrow.runs.engine import Engine
from yarrow.runs.executions import Executions
from yarrow.settings import Settings
from yarrow.sources.sources import Sources
from yarrow.tables.model import Tables


def protocol(
    engine: Engine,
    executions: Executions,
    *,
    settings: Settings,
    tables: Tables,
    sources: Sources,
    renderer: Renderer,
) -> WireProtocol:
    secret = read_signing_secret(settings)
    export = ChartExport(renderer, tables)
    return WireProtocol(
        hot_routers=[
            make_stream_router(engine, executions, tables=tables, signer=TrajectorySigner(secret))
        ],
        routers=[
            make_table_router(tables),
            make_source_router(sources),
            make_file_router(tables),
            make_report_router(export),
            make_chart_router(export, make_code_signer(secret)),
        ],
        error_formats=[UNROUTED],
    )
