"""Files to save: what the browser shall call them."""

import re
from urllib.parse import quote

from fastapi import Response

NAME_CHARS = 100
NAMELESS = "export"

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_PLAIN = re.compile(r"[^ -~]+")


def download(content: bytes, *, name: str, extension: str, media_type: str) -> Response:
    """A file named after an asset. Names beyond ASCII go in the form RFC 5987 has for them; the
    plain form beside it is for clients that do not read that."""
    stem = _UNSAFE.sub("_", name).strip(" .")[:NAME_CHARS] or NAMELESS
    plain = _PLAIN.sub("_", stem)
    said = f"attachment; filename=\"{plain}.{extension}\"; filename*=UTF-8''"
    headers = {
        "Content-Disposition": f"{said}{quote(f'{stem}.{extension}', safe='')}",
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, headers=headers, media_type=media_type)
