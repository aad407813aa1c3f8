"""`export-report`: a report as one HTML document."""

from fastapi import APIRouter, Request, Response

from yarrow.http.auth import CurrentAccount
from yarrow.http.openapi import describe_body
from yarrow.http.route_classes import make_route_class
from yarrow.protocols.ndjson.charts.export import ChartExport
from yarrow.protocols.ndjson.error_responses import render_envelope
from yarrow.protocols.ndjson.openapi import describe_answers
from yarrow.protocols.ndjson.reports.wire import ExportReportBody
from yarrow.protocols.ndjson.requests import read_json_body, read_language, read_workspace
from yarrow.protocols.ndjson.success_responses import DOCUMENT_HEADERS

BODY_BYTES = 50 * 1024 * 1024


def make_report_router(charts: ChartExport) -> APIRouter:
    router = APIRouter(
        prefix="/api/agent",
        tags=["analyst"],
        route_class=make_route_class(render_envelope),
        default_response_class=Response,
    )

    @router.post(
        "/export-report",
        summary="A report as one document",
        openapi_extra=describe_body(ExportReportBody),
        responses=describe_answers("text/html"),
    )
    async def export(request: Request, account_id: CurrentAccount) -> Response:
        from yarrow.protocols.ndjson.reports.document import build_document  # noqa: PLC0415

        body = await read_json_body(ExportReportBody, request, limit=BODY_BYTES)
        workspace = read_workspace(request, account_id)
        document = await build_document(charts, workspace, body, language=read_language(request))
        return Response(document, headers=DOCUMENT_HEADERS, media_type="text/html; charset=utf-8")

    return router
