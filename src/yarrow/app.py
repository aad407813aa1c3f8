"""The HTTP face of a product: its routers and what stands around them."""

from datetime import timedelta

from fastapi import APIRouter, FastAPI
from starlette.middleware.cors import CORSMiddleware

from yarrow import __version__
from yarrow.accounts.secret import signing_secret
from yarrow.agents.analyst.signing import code_signer
from yarrow.attachments.signing import UrlSigner
from yarrow.clock import system_clock
from yarrow.http.error_middleware import BackstopMiddleware, problems_at, render_http_exceptions
from yarrow.http.health import health_routes
from yarrow.http.local_only import LocalOnlyMiddleware
from yarrow.http.metrics import HttpMetrics, MetricsMiddleware, metrics_routes
from yarrow.http.request_id import HEADER as REQUEST_ID
from yarrow.http.request_id import RequestIdMiddleware
from yarrow.product import Product
from yarrow.protocols.account.routes import account_routes
from yarrow.protocols.agui.attachments.routes import attachment_routes
from yarrow.protocols.agui.attachments.urls import LinkMaker
from yarrow.protocols.agui.runs.routes import run_routes
from yarrow.protocols.agui.sessions.routes import session_routes
from yarrow.protocols.agui.speech.routes import speech_routes
from yarrow.protocols.ndjson.charts.routes import derive_routes
from yarrow.protocols.ndjson.errors import unrouted_at as ndjson_at
from yarrow.protocols.ndjson.files.routes import scratch_routes
from yarrow.protocols.ndjson.reports.routes import report_routes
from yarrow.protocols.ndjson.streams.checkpoint import Checkpoints
from yarrow.protocols.ndjson.streams.routes import stream_routes
from yarrow.protocols.ndjson.tables.routes import table_routes
from yarrow.protocols.tavern.errors import tavern_dialects
from yarrow.protocols.tavern.library_routes import library_routes
from yarrow.protocols.tavern.prompts.routes import prompt_routes
from yarrow.protocols.tavern.story_routes import story_opener, story_routes
from yarrow.settings import AuthMode, Settings
from yarrow.stories.prompts import StoryPrompts
from yarrow.web.routes import web_routes


def build_app(product: Product) -> FastAPI:
    """The HTTP face of a product."""
    app = FastAPI(
        title="Yarrow",
        version=__version__,
        summary="One headless backend for conversational AI products.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
    )
    app.state.identify = product.entrance.identify
    for router in _routers(product):
        # Not include_router: it wraps each route once more, and matches it twice.
        app.router.routes.extend(router.routes)
    dialects = (problems_at("/api/v1"), ndjson_at("/api"), *tavern_dialects(), problems_at(""))
    render_http_exceptions(app, dialects)
    if product.settings.auth is AuthMode.OFF:
        app.add_middleware(LocalOnlyMiddleware)
    app.add_middleware(BackstopMiddleware, dialects=dialects)
    app.add_middleware(MetricsMiddleware, metrics=HttpMetrics(product.registry))
    if product.settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=product.settings.cors_origins,
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=[REQUEST_ID, "Retry-After"],
        )
    app.add_middleware(RequestIdMiddleware)
    return app


def _routers(product: Product) -> list[APIRouter]:
    engine, executions, entrance = product.engine, product.executions, product.entrance
    links = _links(product.settings)
    secret = signing_secret(product.settings)
    return [
        # Routes are tried one after the other: the hot ones come first.
        run_routes(engine, executions, links),
        stream_routes(
            engine,
            executions,
            shelf=product.shelf,
            checkpoints=Checkpoints(secret),
        ),
        prompt_routes(StoryPrompts(engine.database, engine.clock)),
        session_routes(engine, executions, links),
        attachment_routes(engine, links),
        speech_routes(product.recogniser),
        library_routes(product.database, open_story=story_opener(engine)),
        *story_routes(engine, executions),
        account_routes(product.database, sign_up=entrance.sign_up, log_in=entrance.log_in),
        table_routes(product.shelf),
        scratch_routes(product.shelf),
        report_routes(product.shelf, product.renderer),
        derive_routes(product.shelf, code_signer(secret)),
        health_routes(product.database, product.loops),
        metrics_routes(product.registry),
        web_routes(
            product.settings,
            engine.model,
            recogniser=product.recogniser,
            working=product.worker is not None,
        ),
    ]


def _links(settings: Settings) -> LinkMaker:
    ttl = timedelta(seconds=settings.attachment_url_ttl_s)
    signer = UrlSigner(signing_secret(settings), ttl=ttl, clock=system_clock)
    return LinkMaker(signer, settings.public_base_url)
