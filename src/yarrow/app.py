"""The ASGI application of a product: protocols, middleware, health, metrics and pages."""

from collections.abc import Sequence

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.cors import CORSMiddleware

from yarrow import __version__
from yarrow.attachments.upload import MAX_BYTES as PICTURE_BYTES
from yarrow.http.error_formats import ErrorFormat, render_http_exceptions
from yarrow.http.health import make_health_router
from yarrow.http.idempotency import IdempotentRequests
from yarrow.http.lazy_route import LazyRoute
from yarrow.http.local_only import LocalOnlyMiddleware
from yarrow.http.middleware import (
    REQUEST_ID_HEADER,
    HttpMetrics,
    MetricsMiddleware,
    RequestIdMiddleware,
    UnhandledErrors,
    make_metrics_router,
)
from yarrow.http.multipart import UploadLimit
from yarrow.http.openapi import make_openapi_router
from yarrow.http.route_classes import BareRoutesFirst
from yarrow.http.wire_protocol import WireProtocol, order_routes
from yarrow.liuyao.cast import QUESTION_MAX
from yarrow.points.prices import RUN_PRICE
from yarrow.product import Product
from yarrow.protocols import account, agui, ndjson, tavern
from yarrow.protocols.agui.runs import limits as run_limits
from yarrow.protocols.tavern.chats.routes import LEFT_OUT_HEADERS
from yarrow.protocols.tavern.chats.wire import FILE_BYTES
from yarrow.sessions.titles import GIVEN_TITLE_LENGTH
from yarrow.settings import AuthMode, Settings
from yarrow.web.configuration import ClientConfiguration, ClientLimits, describe_configuration
from yarrow.web.layout import show_missing_page
from yarrow.web.routes import build_web_router

NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False}
"""FastAPI looks for OpenTelemetry providers in each request; spans and metrics are our own."""


def build_app(product: Product) -> FastAPI:
    app = FastAPI(
        title="Yarrow",
        version=__version__,
        summary="One headless backend for conversational AI products.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry=NO_TELEMETRY,
    )
    app.state.identify = product.authentication.identify
    per_minute = product.settings.uploads_per_minute
    app.state.uploads = UploadLimit(product.engine.clock, per_minute=per_minute)
    app.state.idempotent = IdempotentRequests(product.database)
    protocols = _build_protocols(product)
    app.router.routes.extend(order_routes(protocols))
    formats = [each for protocol in protocols for each in protocol.error_formats]
    render_http_exceptions(app, formats, show_missing_page)
    _add_middleware(app, product, formats)
    return app


def _build_protocols(product: Product) -> list[WireProtocol]:
    engine, executions, settings = product.engine, product.executions, product.settings
    configuration = _describe_configuration(product)
    return [
        agui.protocol(engine, executions, settings=settings, recogniser=product.recogniser),
        ndjson.protocol(
            engine,
            executions,
            settings=settings,
            tables=product.tables,
            sources=product.sources,
            renderer=product.renderer,
        ),
        tavern.protocol(
            engine,
            executions,
            settings=settings,
            prompts=product.prompts,
            story_tools=product.story_tools,
            memory_worker=product.memory_worker,
            model_endpoints=product.model_endpoints,
        ),
        account.protocol(
            engine,
            executions,
            authentication=product.authentication,
            settings=settings,
            configuration=configuration,
            why_no_python=product.tables.sandbox.why_no_python,
        ),
        _build_operations_protocol(product, configuration),
    ]


def _describe_configuration(product: Product) -> ClientConfiguration:
    facts = describe_configuration(
        product.settings,
        product.engine.model,
        recogniser=product.recogniser,
        working=product.worker is not None,
    )
    limits = ClientLimits(
        message_characters=run_limits.TEXT_CHARS,
        message_pictures=run_limits.IMAGES,
        picture_bytes=PICTURE_BYTES,
        question_characters=QUESTION_MAX,
        title_characters=GIVEN_TITLE_LENGTH,
        table_bytes=product.tables.max_bytes,
        story_file_bytes=FILE_BYTES,
    )
    return ClientConfiguration(facts, limits, run_points=RUN_PRICE)


def _build_operations_protocol(
    product: Product, configuration: ClientConfiguration
) -> WireProtocol:
    """Health, metrics and pages: what belongs to the process and to no protocol."""
    web = build_web_router(product.settings, configuration, route_class=LazyRoute)
    return WireProtocol(
        routers=[
            make_health_router(product.database, product.loops),
            make_metrics_router(product.registry),
            make_openapi_router(),
            web,
        ]
    )


def _add_middleware(app: FastAPI, product: Product, formats: Sequence[ErrorFormat]) -> None:
    """Innermost first: each one added wraps those before it."""
    settings: Settings = product.settings
    app.add_middleware(BareRoutesFirst, routes=app.router.routes)
    if settings.auth is AuthMode.OFF:
        app.add_middleware(LocalOnlyMiddleware)
    app.add_middleware(UnhandledErrors, formats=formats)
    app.add_middleware(MetricsMiddleware, metrics=HttpMetrics(product.registry))
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=settings.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=[REQUEST_ID_HEADER, "Retry-After", *LEFT_OUT_HEADERS],
        )
    app.add_middleware(RequestIdMiddleware)
