"""HTML that is safe by construction: plain strings are escaped, only `Html` goes out as it is."""

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

Attribute: TypeAlias = str | bool | None

_VOID = frozenset({"link", "meta", "hr", "br", "img"})


class Html(str):
    """Markup made by this package."""

    __slots__ = ()


def join(nodes: Iterable[str]) -> Html:
    """Nodes one after the other."""
    return Html("".join(node if isinstance(node, Html) else escape(node) for node in nodes))


def el(tag: str, *children: str, **attributes: Attribute) -> Html:
    """An element. `class_` means `class`, `aria_label` means `aria-label`.

    el("a", "Docs", href="/docs") == '<a href="/docs">Docs</a>'
    """
    head = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _VOID:
        return Html(f"<{tag}{head}>")
    return Html(f"<{tag}{head}>{join(children)}</{tag}>")


def _attribute(name: str, value: Attribute) -> str:
    name = name.rstrip("_").replace("_", "-")
    match value:
        case None | False:
            return ""
        case True:
            return f" {name}"
        case str():
            return f' {name}="{escape(value)}"'
