"""The API reference, rendered from the app's own OpenAPI document."""

import re
from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from yarrow.web.call_form import CallForm, build_call_form
from yarrow.web.layout import render_page
from yarrow.web.markdown import render_line
from yarrow.web.openapi import (
    METHODS,
    OpenApiDocument,
    Operation,
    Parameter,
    ResponseSpec,
    decode_openapi,
)
from yarrow.web.schema_fields import SchemaField, SchemaIndex, SchemaObject, describe_limits

CODES_PAGE = "protocols/error-codes"

_PROBLEM = re.compile(r"(?P<title>[^;]*?) \(`(?P<code>[A-Z0-9_]+)`\)")


class BodyReference(Struct, frozen=True):
    """A request body of one media type."""

    media_type: str
    objects: Sequence[SchemaObject]


class AnswerReference(Struct, frozen=True):
    """A response that is no problem: its body, or its description where it has none."""

    status: str
    description: Markup
    media_types: Sequence[str]
    bodies: Sequence[Sequence[SchemaObject]]


class ProblemReference(Struct, frozen=True):
    """One problem code of a route."""

    status: str
    code: str
    title: str


class RouteReference(Struct, frozen=True):
    """Everything the page shows of one route."""

    method: str
    path: str
    summary: str
    description: Markup | None
    needs_token: bool
    parameters: Sequence[SchemaField]
    bodies: Sequence[BodyReference]
    answers: Sequence[AnswerReference]
    problems: Sequence[ProblemReference]
    problem_statuses: Sequence[str]
    form: CallForm

    @property
    def anchor(self) -> str:
        return f"{self.method}-{re.sub(r'[^A-Za-z0-9]+', '-', self.path).strip('-')}"


class ApiReference:
    """The reference: an index of all routes, and one page for each group of them."""

    def __init__(self, openapi: object, *, pages: frozenset[str]) -> None:
        self._groups = _group_routes(decode_openapi(openapi))
        self._codes_page = CODES_PAGE if CODES_PAGE in pages else None

    def render_index(self, language: str) -> Markup:
        return self._render_reference("reference_index.html", language, "API reference", shown="")

    def render_group(self, slug: str, language: str) -> Markup | None:
        """Render one group; None if there is none of this name."""
        tag = next((tag for tag in self._groups if make_group_slug(tag) == slug), None)
        if tag is None:
            return None
        return self._render_reference(
            "reference.html", language, f"{tag} · API reference", shown=tag
        )

    def _render_reference(self, template: str, language: str, title: str, *, shown: str) -> Markup:
        """Problem codes link to their docs page, if there is one."""
        return render_page(
            template,
            language,
            title=f"{title} · Yarrow",
            current="/reference",
            sheet="docs",
            module="pages/reference/main.js" if shown else None,
            groups=self._groups,
            shown=shown,
            group_slug=make_group_slug,
            codes_page=self._codes_page,
        )


def make_group_slug(tag: str) -> str:
    """Name a group in addresses."""
    return re.sub(r"[^a-z0-9]+", "-", tag.lower()).strip("-")


def _group_routes(document: OpenApiDocument) -> dict[str, list[RouteReference]]:
    schemas = SchemaIndex(document.components.schemas)
    groups: dict[str, list[RouteReference]] = {}
    for path, operations in document.paths.items():
        for method, operation in sorted(operations.items(), key=_rank_method):
            tag = operation.tags[0] if operation.tags else "other"
            route = _describe_route(method, path, operation, schemas)
            groups.setdefault(tag, []).append(route)
    return groups


def _rank_method(item: tuple[str, Operation]) -> int:
    return METHODS.index(item[0])


def _describe_route(
    method: str, path: str, operation: Operation, schemas: SchemaIndex
) -> RouteReference:
    responses = operation.responses
    problems = {status: r for status, r in responses.items() if _PROBLEM.search(r.description)}
    return RouteReference(
        method,
        path,
        operation.summary,
        _render_text(operation.description),
        bool(operation.security),
        [_describe_parameter(parameter, schemas) for parameter in operation.parameters],
        [
            BodyReference(media_type, schemas.describe_objects(content.schema))
            for media_type, content in operation.request_body.content.items()
        ],
        [
            _describe_answer(status, response, schemas)
            for status, response in responses.items()
            if status not in problems
        ],
        [
            ProblemReference(status, match["code"], match["title"])
            for status, response in sorted(problems.items())
            for match in _PROBLEM.finditer(response.description)
        ],
        sorted(problems),
        build_call_form(operation, schemas),
    )


def _describe_parameter(parameter: Parameter, schemas: SchemaIndex) -> SchemaField:
    limits = [f"in {parameter.place}", *([] if parameter.required else ["optional"])]
    for variant in schemas.variants(parameter.schema):
        limits += describe_limits(variant)
    type_words = schemas.describe_type(parameter.schema)
    text = _render_text(parameter.description)
    return SchemaField(parameter.name, type_words, limits, text, objects=())


def _describe_answer(status: str, response: ResponseSpec, schemas: SchemaIndex) -> AnswerReference:
    bodies = [schemas.describe_objects(content.schema) for content in response.content.values()]
    text = _render_text(response.description) or Markup()
    return AnswerReference(status, text, list(response.content), bodies)


def _render_text(text: str) -> Markup | None:
    return render_line(text) if text else None
