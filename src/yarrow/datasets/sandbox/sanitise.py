"""Words of an error, made fit for anybody to read: no paths, no secrets, no tracebacks."""

import html
import re

MAX_IN = 2000
MAX_OUT = 500

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
    (re.compile(r"\b[A-Za-z]:\\[^\s\"'<>]*"), "<path>"),
)


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
