"""The API reference, rendered from the app's own OpenAPI document."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from yarrow.kit.json import JsonObject
from yarrow.web.html import Html, el, join
from yarrow.web.markdown import render_line
from yarrow.web.page import Aside, page
from yarrow.web.schema import Shapes, limits_of, schema_fields

CODES_PAGE = "protocols/error-codes"

_METHODS = ("get", "post", "put", "patch", "delete")
_PROBLEM = re.compile(r"(?P<title>[^;]*?) \(`(?P<code>[A-Z0-9_]+)`\)")


@dataclass(frozen=True, slots=True)
class _Route:
    method: str
    path: str
    operation: JsonObject

    @property
    def tag(self) -> str:
        return str((self.operation.get("tags") or ["other"])[0])

    @property
    def summary(self) -> str:
        return str(self.operation.get("summary", ""))

    @property
    def anchor(self) -> str:
        return f"{self.method}-{re.sub(r'[^A-Za-z0-9]+', '-', self.path).strip('-')}"


def reference_page(openapi: JsonObject, *, pages: frozenset[str]) -> Html:
    """The page. Problem codes lead to their docs page where there is one."""
    shapes = Shapes(openapi.get("components", {}).get("schemas", {}))
    groups = _grouped(openapi)
    view = _View(shapes, linked=CODES_PAGE in pages)
    sections = [
        el("section", el("h2", tag, id=f"tag-{tag}"), *map(view.route, routes))
        for tag, routes in groups.items()
    ]
    body = el("article", _intro(), *sections, class_="prose reference")
    return page("API reference · Yarrow", body, aside=_aside(groups), here="/reference")


def _grouped(openapi: JsonObject) -> dict[str, list[_Route]]:
    groups: dict[str, list[_Route]] = {}
    for path, operations in openapi.get("paths", {}).items():
        for method in _METHODS:
            if method in operations:
                route = _Route(method, path, operations[method])
                groups.setdefault(route.tag, []).append(route)
    return groups


def _intro() -> Html:
    document = el("a", "/openapi.json", href="/openapi.json")
    said = "Every route of this server, made from its own OpenAPI document: "
    return join([el("h1", "API reference"), el("p", said, document, ".")])


def _aside(groups: dict[str, list[_Route]]) -> Aside:
    def listed() -> Iterator[Html]:
        for tag, routes in groups.items():
            yield el("h2", el("a", tag, href=f"#tag-{tag}"))
            yield el("ul", *(el("li", _entry(route)) for route in routes))

    return Aside("All routes", list(listed()))


def _entry(route: _Route) -> Html:
    name = el("span", route.summary or route.path)
    return el("a", _badge(route.method), name, href=f"#{route.anchor}")


def _badge(method: str) -> Html:
    return el("span", method.upper(), class_=f"method {method}")


@dataclass(frozen=True, slots=True)
class _View:
    """Renders routes with what they share: the named schemas and where codes are explained."""

    shapes: Shapes
    linked: bool

    def route(self, route: _Route) -> Html:
        operation = route.operation
        parts = [el("h3", _badge(route.method), el("code", route.path), id=route.anchor)]
        if summary := route.summary:
            parts.append(el("p", summary, class_="summary"))
        if description := operation.get("description"):
            parts.append(el("p", render_line(description)))
        if operation.get("security"):
            parts.append(el("p", "Needs a bearer token where accounts are on.", class_="note"))
        parts += self._parameters(operation.get("parameters", []))
        parts += self._body(operation.get("requestBody", {}))
        parts += self._responses(operation.get("responses", {}))
        return el("section", *parts, class_="route")

    def _parameters(self, parameters: list[JsonObject]) -> Iterator[Html]:
        if parameters:
            yield el("h4", "Parameters")
            yield el("ul", *map(self._parameter, parameters), class_="fields")

    def _parameter(self, parameter: JsonObject) -> Html:
        schema: JsonObject = parameter.get("schema", {})
        remarks = [f"in {parameter['in']}", *([] if parameter.get("required") else ["optional"])]
        remarks += [words for kind in self.shapes.variants(schema) for words in limits_of(kind)]
        return el(
            "li",
            el("code", parameter["name"], class_="name"),
            el("span", self.shapes.type_of(schema), class_="type"),
            *(el("span", words, class_="limit") for words in remarks),
            *(el("p", render_line(said)) for said in [parameter.get("description")] if said),
        )

    def _body(self, body: JsonObject) -> Iterator[Html]:
        for media, content in body.get("content", {}).items():
            yield el("h4", "Body ", el("span", media, class_="type"))
            yield schema_fields(self.shapes, content.get("schema", {}))

    def _responses(self, responses: JsonObject) -> Iterator[Html]:
        answers = {status: a for status, a in responses.items() if not _PROBLEM.search(_said(a))}
        problems = {status: a for status, a in responses.items() if status not in answers}
        yield el("h4", "Answers")
        yield join(self._answer(status, answer) for status, answer in answers.items())
        if problems:
            rows = [row for status, a in sorted(problems.items()) for row in self._rows(status, a)]
            table = el("div", el("table", el("tbody", *rows)), class_="scroll")
            yield el("details", el("summary", "Problems ", _statuses(problems)), table)

    def _answer(self, status: str, answer: JsonObject) -> Html:
        content: JsonObject = answer.get("content", {})
        media = " or ".join(content)
        line = el("p", el("b", status), " ", render_line(_said(answer)), class_="answer")
        if media:
            line = el("p", el("b", status), " ", el("span", media, class_="type"), class_="answer")
        fields = [schema_fields(self.shapes, kind.get("schema", {})) for kind in content.values()]
        return join([line, *fields])

    def _rows(self, status: str, answer: JsonObject) -> list[Html]:
        return [
            el(
                "tr",
                el("td", status),
                el("td", self._code(found["code"])),
                el("td", found["title"]),
            )
            for found in _PROBLEM.finditer(_said(answer))
        ]

    def _code(self, code: str) -> Html:
        shown = el("code", code)
        return el("a", shown, href=f"/docs/{CODES_PAGE}#{code}") if self.linked else shown


def _statuses(problems: JsonObject) -> Html:
    return el("span", ", ".join(sorted(problems)), class_="type")


def _said(answer: JsonObject) -> str:
    return str(answer.get("description", ""))
