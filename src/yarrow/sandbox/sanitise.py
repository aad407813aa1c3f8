"""Words of an error, made fit for anybody to read: no paths, no secrets, no tracebacks."""

import html
import re
import sys
import sysconfig
from pathlib import Path

MAX_IN = 2000
MAX_OUT = 500

_REST_OF_PATH = r"(?:/[^\s\"'<>:,;)\]]*)?(?![\w-])"
_INSTALLED = {
    sys.prefix,
    sys.base_prefix,
    sysconfig.get_path("stdlib"),
    sysconfig.get_path("purelib"),
    str(Path(__file__).parents[3]),
}
"""Where this server lies on its machine."""
_OWN_PATH = re.compile(
    rf"(?<![\w<])(?:{'|'.join(map(re.escape, sorted(_INSTALLED, reverse=True)))}){_REST_OF_PATH}"
)
_LAST_ERROR = re.compile(r"^[\w.]*(?:Error|Exception|Exit|Interrupt)\b.*", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_REDACTIONS = (
    (re.compile(r"\b([a-z][a-z0-9+.-]*://)[^\s/@:]*:[^\s/@]*@", re.IGNORECASE), r"\1<redacted>@"),
    (re.compile(r"\bBearer\s+[^\s\"']+", re.IGNORECASE), "Bearer <redacted>"),
    (
        re.compile(
            r"\b([\w-]*(?:key|token|password|passwd|pwd|secret)|connection[ _]?string)"
            r"(\s*[=:]\s*)(?!<redacted>)[^\s,;&]+",
            re.IGNORECASE,
        ),
        r"\1\2<redacted>",
    ),
    (re.compile(r"File\s+\"[^\"]*\",\s+line\s+\d+(?:,\s+in\s+\S+)?"), ""),
    (
        re.compile(
            r"(?<![\w<])/(?:home|opt|usr|tmp|var|etc|srv|root|app|workspace|job|datasets|proc)"
            r"(?:/[^\s\"'<>:,;)]*)?"
        ),
        "<path>",
    ),
    (_OWN_PATH, "<path>"),
    (re.compile(r"(?<![\w<./])/(?:[\w.@+~-]+/)+[^\s\"'<>:,;)]*"), "<path>"),
    (re.compile(r"\b[A-Za-z]:\\[^\s\"'<>]*"), "<path>"),
)


def without_own_paths(text: str) -> str:
    """What a program printed, without where this server lies.

    Other paths stay: they are more often addresses of web pages in somebody's data.
    """
    return _OWN_PATH.sub("<path>", text)


def sanitise(text: str) -> str:
    """What of an error's words may leave the server."""
    said = text[:MAX_IN]
    if _TRACEBACK in said and (errors := _LAST_ERROR.findall(said)):
        said = errors[-1]
    for pattern, replacement in _REDACTIONS:
        said = pattern.sub(replacement, said)
    said = html.escape(said, quote=False).replace("&lt;redacted&gt;", "<redacted>")
    said = said.replace("&lt;path&gt;", "<path>")
    said = re.sub(r"\n\s*\n+", "\n", said).strip()
    return said if len(said) <= MAX_OUT else said[:MAX_OUT] + "..."
