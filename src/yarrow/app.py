"""The ASGI application of a product: protocols, middleware, health, metrics and pages."""

from collections.abc import Sequence

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware

from yarrow import __version__
from yarrow.http.error_formats import ErrorFormat, render_http_exceptions
from yarrow.http.health import make_health_router
from yarrow.http.idempotency import IdempotentRequests
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
from yarrow.http.protocol import WireProtocol, order_routes
from yarrow.http.route_classes import BareRoutesFirst
from yarrow.product import Product
from yarrow.protocols import account, agui, ndjson, tavern
from yarrow.settings import AuthMode, Settings
from yarrow.web.configuration import describe_configuration
from yarrow.web.layout import show_missing_page
from yarrow.web.routes import web_routes


def build_app(product: Product) -> FastAPI:
    app = FastAPI(
        title="Yarrow",
        version=__version__,
        summary="One headless backend for conversational AI products.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.identify = product.authentication.identify
    per_minute = product.settings.uploads_per_minute
    app.state.uploads = UploadLimit(product.engine.clock, per_minute=per_minute)
    app.state.idempotent = IdempotentRequests(product.database)
    protocols = _protocols(product)
    app.router.routes.extend(order_routes(protocols))
    formats = [each for protocol in protocols for each in protocol.error_formats]
    render_http_exceptions(app, formats, show_missing_page)
    _add_middleware(app, product, formats)
    return app


def _protocols(product: Product) -> list[WireProtocol]:
    engine, executions, settings = product.engine, product.executions, product.settings
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
            configured=describe_configuration(
                settings,
                engine.model,
                recogniser=product.recogniser,
                working=product.worker is not None,
            ),
            why_no_python=product.tables.sandbox.why_no_python,
        ),
        _operations(product),
    ]


def _operations(product: Product) -> WireProtocol:
    """Health, metrics and pages: what belongs to the process and to no protocol."""
    web = web_routes(
        product.settings,
        product.engine.model,
        recogniser=product.recogniser,
        working=product.worker is not None,
    )
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
            expose_headers=[REQUEST_ID_HEADER, "Retry-After"],
        )
    app.add_middleware(RequestIdMiddleware)
