"""Tags of the XML of a workbook, found without parsing all of it."""

import re
from collections.abc import Iterator
from html import unescape

_ATTRIBUTE = re.compile(rb"""([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_TAGS = {
    tag: re.compile(rb"<(?:\w+:)?" + tag + rb"\b([^>]*)>")
    for tag in (b"sheet", b"Relationship", b"numFmt", b"xf", b"col")
}


def read_attributes(text: bytes) -> dict[str, str]:
    return {
        match[1].decode(): unescape((match[2] or match[3] or b"").decode("utf-8", "replace"))
        for match in _ATTRIBUTE.finditer(text)
    }


def find_tags(text: bytes, tag: bytes) -> Iterator[dict[str, str]]:
    return (read_attributes(match[1]) for match in _TAGS[tag].finditer(text))
