"""The routes of the pages; none of them is part of the API."""

from functools import cache

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup

from yarrow.ids import new_uuid
from yarrow.llm.model import ChatModel
from yarrow.settings import Settings
from yarrow.speech.recogniser import Recogniser
from yarrow.web.assets import asset_response
from yarrow.web.configuration import describe_configuration
from yarrow.web.first_session import build_first_session, shell_safe_url
from yarrow.web.layout import not_found_response, page_response
from yarrow.web.manual import Manual
from yarrow.web.reference_page import render_reference_page
from yarrow.web.start_page import render_start_page

_METHODS = ["GET", "HEAD"]


def web_routes(
    settings: Settings, model: ChatModel, *, recogniser: Recogniser, working: bool
) -> APIRouter:
    """Build the router. Its endpoints are not async, so that pages are rendered in a thread."""
    routes = APIRouter()
    manual = Manual()
    facts = describe_configuration(settings, model, recogniser=recogniser, working=working)

    @routes.api_route("/", methods=_METHODS, include_in_schema=False)
    def start(request: Request) -> Response:
        url = shell_safe_url(str(request.base_url))
        steps = build_first_session(url, settings.auth, thread=new_uuid())
        return page_response(render_start_page(facts, steps, pages=manual.slugs))

    @routes.api_route("/static/{name}", methods=_METHODS, include_in_schema=False)
    def static(name: str) -> Response:
        return asset_response(name) or not_found_response()

    _add_docs(routes, manual)
    _add_reference(routes, manual)
    return routes


def _add_docs(routes: APIRouter, manual: Manual) -> None:
    @routes.api_route("/docs", methods=_METHODS, include_in_schema=False)
    def index() -> Response:
        page = manual.page("")
        return not_found_response() if page is None else page_response(page)

    @routes.api_route("/docs/{slug:path}", methods=_METHODS, include_in_schema=False)
    def show(slug: str) -> Response:
        page = manual.page(slug)
        if page is not None:
            return page_response(page)
        stripped = slug.removesuffix(".md").removesuffix("/")
        if stripped != slug and stripped in manual.slugs:
            return RedirectResponse(f"/docs/{stripped}".rstrip("/"), 308)
        return not_found_response()


def _add_reference(routes: APIRouter, manual: Manual) -> None:
    @cache
    def render(app: FastAPI) -> Markup:
        return render_reference_page(app.openapi(), pages=manual.slugs)

    @routes.api_route("/reference", methods=_METHODS, include_in_schema=False)
    def reference(request: Request) -> Response:
        return page_response(render(request.app))
