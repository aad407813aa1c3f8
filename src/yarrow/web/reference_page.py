"""The API reference, rendered from the app's own OpenAPI document."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from yarrow.kit.json import JsonObject
from yarrow.web.layout import render_page
from yarrow.web.schema_fields import (
    SchemaField,
    SchemaIndex,
    SchemaObject,
    describe_limits,
    describe_text,
)

CODES_PAGE = "protocols/error-codes"

_METHODS = ("get", "post", "put", "patch", "delete")
_PROBLEM = re.compile(r"(?P<title>[^;]*?) \(`(?P<code>[A-Z0-9_]+)`\)")


@dataclass(frozen=True, slots=True)
class BodyReference:
    """A request body of one media type."""

    media_type: str
    objects: Sequence[SchemaObject]


@dataclass(frozen=True, slots=True)
class AnswerReference:
    """A response that is no problem: its body, or its description where it has none."""

    status: str
    description: Markup
    media_types: Sequence[str]
    bodies: Sequence[Sequence[SchemaObject]]


@dataclass(frozen=True, slots=True)
class ProblemReference:
    """One problem code of a route."""

    status: str
    code: str
    title: str


@dataclass(frozen=True, slots=True)
class RouteReference:
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

    @property
    def anchor(self) -> str:
        return f"{self.method}-{re.sub(r'[^A-Za-z0-9]+', '-', self.path).strip('-')}"


def render_reference_page(openapi: JsonObject, *, pages: frozenset[str]) -> Markup:
    """Render the page. Problem codes link to their docs page if it is in `pages`."""
    return render_page(
        "reference.html",
        title="API reference · Yarrow",
        current="/reference",
        groups=_group_routes(openapi),
        codes_page=CODES_PAGE if CODES_PAGE in pages else None,
    )


def _group_routes(openapi: JsonObject) -> dict[str, list[RouteReference]]:
    schemas = SchemaIndex(openapi.get("components", {}).get("schemas", {}))
    groups: dict[str, list[RouteReference]] = {}
    for path, operations in openapi.get("paths", {}).items():
        for method in _METHODS:
            if operation := operations.get(method):
                tag = str((operation.get("tags") or ["other"])[0])
                route = _describe_route(method, path, operation, schemas)
                groups.setdefault(tag, []).append(route)
    return groups


def _describe_route(
    method: str, path: str, operation: JsonObject, schemas: SchemaIndex
) -> RouteReference:
    responses: JsonObject = operation.get("responses", {})
    problems = {status: r for status, r in responses.items() if _PROBLEM.search(_text(r))}
    return RouteReference(
        method,
        path,
        str(operation.get("summary", "")),
        describe_text(operation),
        bool(operation.get("security")),
        [_describe_parameter(item, schemas) for item in operation.get("parameters", [])],
        [
            BodyReference(media_type, schemas.describe_objects(content.get("schema", {})))
            for media_type, content in operation.get("requestBody", {}).get("content", {}).items()
        ],
        [
            _describe_answer(status, response, schemas)
            for status, response in responses.items()
            if status not in problems
        ],
        [
            ProblemReference(status, match["code"], match["title"])
            for status, response in sorted(problems.items())
            for match in _PROBLEM.finditer(_text(response))
        ],
        sorted(problems),
    )


def _describe_parameter(parameter: JsonObject, schemas: SchemaIndex) -> SchemaField:
    schema: JsonObject = parameter.get("schema", {})
    limits = [f"in {parameter['in']}", *([] if parameter.get("required") else ["optional"])]
    limits += [words for kind in schemas.variants(schema) for words in describe_limits(kind)]
    text = describe_text(parameter)
    return SchemaField(parameter["name"], schemas.describe_type(schema), limits, text, objects=())


def _describe_answer(status: str, response: JsonObject, schemas: SchemaIndex) -> AnswerReference:
    content: JsonObject = response.get("content", {})
    bodies = [schemas.describe_objects(kind.get("schema", {})) for kind in content.values()]
    return AnswerReference(status, describe_text(response) or Markup(), list(content), bodies)


def _text(response: JsonObject) -> str:
    return str(response.get("description", ""))
