"""The start page: what this is, what is configured, what to type first."""

from collections.abc import Sequence

from yarrow import __version__
from yarrow.web.configured import Fact
from yarrow.web.first_session import Step
from yarrow.web.html import Html, el, join
from yarrow.web.page import mark, page

SENTENCE = (
    "One headless backend for conversational AI products: accounts and points, sessions, and "
    "agent runs that outlive a crash, with event streams a client can pick up where it left off."
)

_DOORS = (
    ("Docs", "/docs", "How to set it up, and why it is built the way it is."),
    ("API reference", "/reference", "Every route with its fields, answers and problem codes."),
    ("OpenAPI", "/openapi.json", "The same as a document for machines."),
)


def start_page(facts: Sequence[Fact], steps: Sequence[Step], *, pages: frozenset[str]) -> Html:
    """The page. A fact links its docs page only where that page exists."""
    body = join([_hero(), _facts(facts, pages), _session(steps), _doors()])
    return page("Yarrow", body)


def _hero() -> Html:
    name = el("h1", "Yarrow", el("span", __version__, class_="version"))
    words = el("div", name, el("p", SENTENCE, class_="lead"))
    return el("section", mark(), words, class_="hero")


def _facts(facts: Sequence[Fact], pages: frozenset[str]) -> Html:
    cards = [_fact(fact, pages) for fact in facts]
    return el("section", el("h2", "Configured now"), el("dl", *cards, class_="facts"))


def _fact(fact: Fact, pages: frozenset[str]) -> Html:
    value: str = fact.value
    if fact.page in pages:
        value = el("a", fact.value, href=f"/docs/{fact.page}")
    note = el("dd", fact.note, class_="note")
    return el("div", el("dt", fact.label), el("dd", value, class_="value"), note)


def _session(steps: Sequence[Step]) -> Html:
    items = [
        el(
            "li",
            el("h3", step.title),
            el("p", step.note),
            el("pre", el("code", step.command), tabindex="0"),
        )
        for step in steps
    ]
    intro = el("p", "In one shell, top to bottom. The ids are fresh each time this page loads.")
    listed = el("ol", *items, class_="steps")
    return el("section", el("h2", "A first session"), intro, listed, id="first-session")


def _doors() -> Html:
    links = [
        el("a", el("strong", label), el("span", note), href=href) for label, href, note in _DOORS
    ]
    return el("nav", *links, class_="doors", aria_label="Where to go from here")
