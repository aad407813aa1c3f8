"""Where macros stand in a script's text, without knowing what they mean."""

import re
from collections.abc import Iterator

_EDGES = re.compile(r"\{\{|\}\}|(?<!\?)<(?:user|bot|char|charifnotgroup|group)>", re.IGNORECASE)
"""Braces, and the aliases in angles; after a question mark such an alias is a group's name."""


def outermost_macros(text: str) -> Iterator[tuple[int, int]]:
    opened: list[int] = []
    for edge in _EDGES.finditer(text):
        match edge.group():
            case "{{":
                opened.append(edge.start())
            case "}}" if not opened:
                continue
            case "}}":
                start = opened.pop()
                if not opened:
                    yield start, edge.end()
            case _ if not opened:
                yield edge.span()
