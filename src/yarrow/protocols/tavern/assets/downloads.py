"""Downloads, with a file name that browsers accept."""

import re
from urllib.parse import quote

from fastapi import Response

NAME_CHARS = 100
NAMELESS = "export"

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_PLAIN = re.compile(r"[^ -~]+")


def build_download(content: bytes, *, name: str, extension: str, media_type: str) -> Response:
    """A file named after an asset: in the form of RFC 5987, with an ASCII name beside it for
    clients that do not read that form."""
    stem = _UNSAFE.sub("_", name).strip(" .")[:NAME_CHARS] or NAMELESS
    plain = _PLAIN.sub("_", stem)
    disposition = f"attachment; filename=\"{plain}.{extension}\"; filename*=UTF-8''"
    headers = {
        "Content-Disposition": f"{disposition}{quote(f'{stem}.{extension}', safe='')}",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, headers=headers, media_type=media_type)
