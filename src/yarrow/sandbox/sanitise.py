"""Remove paths, secrets and tracebacks from error messages."""

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
"""Folders of the server's installation."""
_SERVER_PATH = re.compile(
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
    (_SERVER_PATH, "<path>"),
    (re.compile(r"(?<![\w<./])/(?:[\w.@+~-]+/)+[^\s\"'<>:,;)]*"), "<path>"),
    (re.compile(r"\b[A-Za-z]:\\[^\s\"'<>]*"), "<path>"),
)


def redact_server_paths(text: str) -> str:
    """Redact the server's own folders in a program's output.

    Other paths stay: in data they are more often parts of URLs.
    """
    return _SERVER_PATH.sub("<path>", text)


def sanitise_message(text: str) -> str:
    """The message as it may be shown to a client, shortened and HTML-escaped."""
    message = text[:MAX_IN]
    if _TRACEBACK in message and (errors := _LAST_ERROR.findall(message)):
        message = errors[-1]
    for pattern, replacement in _REDACTIONS:
        message = pattern.sub(replacement, message)
    message = html.escape(message, quote=False).replace("&lt;redacted&gt;", "<redacted>")
    message = message.replace("&lt;path&gt;", "<path>")
    message = re.sub(r"\n\s*\n+", "\n", message).strip()
    return message if len(message) <= MAX_OUT else message[:MAX_OUT] + "..."
