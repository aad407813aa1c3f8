"""`render-chart`: a chart as SVG or PNG. `refresh-derived-data`: rerun a chart's program."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from yarrow.charting import ChartLanguage
from yarrow.http.auth import CurrentAccount
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.kit.json import JsonObject
from yarrow.kit.signing import HmacSigner
from yarrow.protocols.ndjson.charts.export import ChartExport, isolate_svg
from yarrow.protocols.ndjson.charts.intake import parse_program
from yarrow.protocols.ndjson.charts.wire import RefreshBody, RenderBody
from yarrow.protocols.ndjson.error_responses import render_envelope
from yarrow.protocols.ndjson.openapi import describe_answers
from yarrow.protocols.ndjson.requests import read_json_body, read_language, read_workspace
from yarrow.protocols.ndjson.success_responses import DOCUMENT_HEADERS, build_success
from yarrow.tables.rerun import rerun_code

BODY_BYTES = 50 * 1024 * 1024


def make_chart_router(export: ChartExport, signer: HmacSigner) -> APIRouter:
    router = APIRouter(
        prefix="/api/agent",
        tags=["analyst"],
        route_class=make_route_class(render_envelope),
        default_response_class=Response,
    )
    _add_render(router, export)
    _add_refresh(router, export, signer)
    return router


def _add_render(router: APIRouter, export: ChartExport) -> None:
    @router.post(
        "/render-chart",
        summary="A chart as a picture",
        openapi_extra=describe_body(RenderBody),
        responses=describe_answers("image/svg+xml", "image/png"),
    )
    async def draw(
        request: Request,
        account_id: CurrentAccount,
        format: Annotated[Literal["svg", "png"], Query()] = "svg",  # noqa: A002
    ) -> Response:
        body = await read_json_body(RenderBody, request, limit=BODY_BYTES)
        workspace = read_workspace(request, account_id)
        language = ChartLanguage(read_language(request))
        match format:
            case "png":
                png = await export.render_png(body, workspace, language=language, scale=body.scale)
                return Response(png, headers=DOCUMENT_HEADERS, media_type="image/png")
            case "svg":
                svg = isolate_svg(await export.render_svg(body, workspace, language=language), "")
                return Response(svg, headers=DOCUMENT_HEADERS, media_type="image/svg+xml")


def _add_refresh(router: APIRouter, export: ChartExport, signer: HmacSigner) -> None:
    @router.post(
        "/refresh-derived-data",
        summary="Run a chart's program again",
        openapi_extra=describe_body(RefreshBody),
        responses=describe_answers(),
    )
    async def refresh(request: Request, account_id: CurrentAccount) -> Response:
        body = await read_json_body(RefreshBody, request, limit=BODY_BYTES)
        program = parse_program(body, signer)
        workspace = read_workspace(request, account_id)
        name = (body.output_table_name or body.output_variable) if body.virtual else None
        derived = await rerun_code(export.tables, workspace, program, keep_as=name)
        payload: JsonObject = {"row_count": derived.row_count, "rows": derived.rows}
        if derived.table_name is not None:
            payload["virtual"] = {
                "table_name": derived.table_name,
                "row_count": derived.row_count,
            }
        return build_success(payload)
