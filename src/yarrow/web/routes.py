"""The routes of the pages; none of them is part of the API."""

from functools import cache

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from yarrow.ids import new_uuid
from yarrow.kit.json import JsonObject
from yarrow.settings import AuthMode, Settings
from yarrow.web.app_page import render_app_page
from yarrow.web.app_pages import APP_PAGES, HOME, AppPage
from yarrow.web.assets import build_asset_response
from yarrow.web.configuration import ClientConfiguration
from yarrow.web.first_session import build_first_session, choose_shell_safe_url
from yarrow.web.layout import PageView, build_not_found_response, build_page_response
from yarrow.web.manual import Manual
from yarrow.web.reference_page import ApiReference

_METHODS = ["GET", "HEAD"]
PICTURE_HEADERS = {
    "cache-control": "public, max-age=3600",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "x-content-type-options": "nosniff",
}


def build_web_router(
    settings: Settings, configuration: ClientConfiguration, *, route_class: type[APIRoute]
) -> APIRouter:
    """Build the router. Its endpoints are not async, so that pages are rendered in a thread."""
    routes = APIRouter(route_class=route_class)
    manual = Manual()
    facts: JsonObject = {fact.name: fact.state for fact in configuration.facts}
    facts |= {
        "limits": configuration.limits.model_dump(),
        "run_points": configuration.run_points,
    }

    @routes.api_route("/static/{path:path}", methods=_METHODS, include_in_schema=False)
    def static(request: Request, path: str) -> Response:
        version, _, path = path.partition("/")
        encodings = request.headers.get("accept-encoding", "")
        response = build_asset_response(version, path, accept_encoding=encodings)
        return response or build_not_found_response(PageView.from_request(request))

    _add_home(routes, manual, auth=settings.auth, configuration=configuration, facts=facts)
    for page in APP_PAGES:
        _add_app_page(routes, page, facts)
    _add_docs(routes, manual)
    _add_reference(routes, manual)
    return routes


def _add_home(
    routes: APIRouter,
    manual: Manual,
    *,
    auth: AuthMode,
    configuration: ClientConfiguration,
    facts: JsonObject,
) -> None:
    @routes.api_route("/", methods=_METHODS, include_in_schema=False)
    def home(request: Request) -> Response:
        view = PageView.from_request(request)
        url = choose_shell_safe_url(str(request.base_url))
        rendered = render_app_page(
            HOME,
            view.language,
            facts=facts,
            steps=build_first_session(url, auth, thread=new_uuid()),
            configured=configuration.facts,
            docs=manual.slugs,
        )
        return build_page_response(rendered, view)


def _add_app_page(routes: APIRouter, page: AppPage, facts: JsonObject) -> None:
    def show(request: Request) -> Response:
        view = PageView.from_request(request)
        return build_page_response(render_app_page(page, view.language, facts=facts), view)

    for address in (page.address, page.address + "/{view:path}"):
        routes.add_api_route(address, show, methods=_METHODS, include_in_schema=False)


def _add_docs(routes: APIRouter, manual: Manual) -> None:
    @routes.api_route("/docs", methods=_METHODS, include_in_schema=False)
    def index(request: Request) -> Response:
        return show(request, "")

    @routes.api_route("/docs/search", methods=_METHODS, include_in_schema=False)
    def search(request: Request, q: str = "") -> Response:
        view = PageView.from_request(request)
        return build_page_response(manual.search(q, view.language), view)

    @routes.api_route("/docs/{slug:path}", methods=_METHODS, include_in_schema=False)
    def show(request: Request, slug: str) -> Response:
        view = PageView.from_request(request)
        page = manual.page(slug, view.language)
        if page is not None:
            return build_page_response(page, view)
        if (picture := manual.picture(slug)) is not None:
            body, media_type = picture
            return Response(body, media_type=media_type, headers=PICTURE_HEADERS)
        stripped = slug.removesuffix(".md").removesuffix("/")
        if stripped != slug and stripped in manual.slugs:
            return RedirectResponse(f"/docs/{stripped}".rstrip("/"), 308)
        return build_not_found_response(view)


def _add_reference(routes: APIRouter, manual: Manual) -> None:
    @cache
    def read(app: FastAPI) -> ApiReference:
        return ApiReference(app.openapi(), pages=manual.slugs)

    @routes.api_route("/reference", methods=_METHODS, include_in_schema=False)
    def reference(request: Request) -> Response:
        view = PageView.from_request(request)
        return build_page_response(read(request.app).render_index(view.language), view)

    @routes.api_route("/reference/{group}", methods=_METHODS, include_in_schema=False)
    def reference_group(request: Request, group: str) -> Response:
        view = PageView.from_request(request)
        page = read(request.app).render_group(group, view.language)
        return build_not_found_response(view) if page is None else build_page_response(page, view)
