"""The routes of the pages: none of them is part of the API."""

from functools import cache

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import RedirectResponse

from yarrow.ids import new_uuid
from yarrow.llm.model import ChatModel
from yarrow.settings import Settings
from yarrow.speech.recogniser import Recogniser
from yarrow.web.assets import asset_response
from yarrow.web.configured import configured
from yarrow.web.first_session import first_session, plain_url
from yarrow.web.html import Html, el, join
from yarrow.web.manual import Manual
from yarrow.web.page import page, page_response
from yarrow.web.reference import reference_page
from yarrow.web.start import start_page

_METHODS = ["GET", "HEAD"]


def web_routes(
    settings: Settings, model: ChatModel, *, recogniser: Recogniser, working: bool
) -> APIRouter:
    """The router. Its functions are not async: rendering belongs into a thread."""
    routes = APIRouter()
    manual = Manual()
    facts = configured(settings, model, recogniser=recogniser, working=working)

    @routes.api_route("/", methods=_METHODS, include_in_schema=False)
    def start(request: Request) -> Response:
        url = plain_url(str(request.base_url))
        steps = first_session(url, settings.auth, thread=new_uuid())
        return page_response(start_page(facts, steps, pages=manual.slugs))

    @routes.api_route("/static/{name}", methods=_METHODS, include_in_schema=False)
    def static(name: str) -> Response:
        return asset_response(name) or _missing()

    _add_docs(routes, manual)
    _add_reference(routes, manual)
    return routes


def _add_docs(routes: APIRouter, manual: Manual) -> None:
    @routes.api_route("/docs", methods=_METHODS, include_in_schema=False)
    def index() -> Response:
        rendered = manual.page("")
        return _missing() if rendered is None else page_response(rendered)

    @routes.api_route("/docs/{slug:path}", methods=_METHODS, include_in_schema=False)
    def show(slug: str) -> Response:
        rendered = manual.page(slug)
        if rendered is not None:
            return page_response(rendered)
        plain = slug.removesuffix(".md").removesuffix("/")
        if plain != slug and plain in manual.slugs:
            return RedirectResponse(f"/docs/{plain}".rstrip("/"), 308)
        return _missing()


def _add_reference(routes: APIRouter, manual: Manual) -> None:
    @cache
    def rendered(app: FastAPI) -> Html:
        return reference_page(app.openapi(), pages=manual.slugs)

    @routes.api_route("/reference", methods=_METHODS, include_in_schema=False)
    def reference(request: Request) -> Response:
        return page_response(rendered(request.app))


def _missing() -> Response:
    words = el("p", "There is no page at this address. ", el("a", "Start over", href="/"), ".")
    return page_response(
        page("Not found · Yarrow", join([el("h1", "Not found"), words])), status=404
    )
