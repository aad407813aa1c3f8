"""Logs: one line per state change, as JSON or for a terminal, without secrets or contents.

A formatter of our own for the standard library's logging: a logging library would add a fifth
to the time the server takes to start.
"""

import logging
import re
import sys
from datetime import UTC, datetime

from yarrow.http.request_id import current_request_id
from yarrow.kit.json import JsonObject, encode_json
from yarrow.settings import Settings

REDACTED = "(redacted)"

_PRIVATE_KEY = re.compile(
    r"authorization|cookie|token$|^token|password|passwd|secret|api.?key|credential"
    r"|prompt|content|^messages?$|^answer|dsn",
    re.IGNORECASE,
)
_COUNT_KEY = re.compile(r"_tokens$|^tokens$|content_(?:length|type)$")
_QUERY = re.compile(r"(?<=[\w/.])\?[^\s\"']+=[^\s\"']*")
_DETAIL = re.compile(r"DETAIL:.*?(?=\n\nDuring handling|\n\nThe above exception|\Z)", re.DOTALL)
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/@]+@")

_OF_EVERY_RECORD = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "color_message",
}
"""What a record has without being given it; uvicorn adds a coloured twin of its message."""

_COLOURS = {"DEBUG": 34, "INFO": 32, "WARNING": 33, "ERROR": 31, "CRITICAL": 35}


def fields_of(record: logging.LogRecord) -> JsonObject:
    """The record as ordered fields, redacted; a traceback is text by then, and redacted too."""
    fields: JsonObject = {
        "timestamp": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": record.getMessage(),
    }
    if (request_id := current_request_id()) is not None:
        fields["request_id"] = request_id
    fields |= {key: value for key, value in vars(record).items() if key not in _OF_EVERY_RECORD}
    if record.exc_info:
        fields["exception"] = without_rows(logging.Formatter().formatException(record.exc_info))
    return {key: redacted(key, value) for key, value in fields.items()}


def redacted(key: str, value: object) -> object:
    """Contents and credentials are dropped by key, query strings by shape."""
    if _PRIVATE_KEY.search(key) and not _COUNT_KEY.search(key):
        return REDACTED
    if isinstance(value, int | float | bool) or value is None:
        return value
    return redacted_text(str(value))


def without_rows(trace: str) -> str:
    """A traceback without PostgreSQL's details: they quote the row, and a row may be an answer."""
    return _DETAIL.sub("DETAIL: (redacted)", trace)


def redacted_text(text: str) -> str:
    """Text without the query strings (signatures, tokens) and passwords of its URLs."""
    return _URL_PASSWORD.sub("", _QUERY.sub("", text))


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        return encode_json(fields_of(record)).decode()


class ConsoleLines(logging.Formatter):
    """For a person at a terminal: time, level, event, then what belongs to it."""

    def __init__(self, *, coloured: bool) -> None:
        super().__init__()
        self._coloured = coloured

    def format(self, record: logging.LogRecord) -> str:
        fields = fields_of(record)
        trace = fields.pop("exception", "")
        clock = str(fields.pop("timestamp"))[11:23]
        level, event = fields.pop("level"), fields.pop("event")
        del fields["logger"]
        facts = "  ".join(f"{key}={value}" for key, value in fields.items())
        line = (
            f"{clock} {self._paint(f'{level:<8}', record.levelname)} {event:<32} {facts}".rstrip()
        )
        return f"{line}\n{trace}" if trace else line

    def _paint(self, text: str, level: str) -> str:
        return f"\x1b[{_COLOURS.get(level, 0)}m{text}\x1b[0m" if self._coloured else text


def configure_logs(settings: Settings) -> None:
    """Send all logging, ours and the libraries', through one handler on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter(as_json=_wants_json(settings.log_format)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # Its lines of start and stop repeat ours, and one line per request is metrics' work.
    for name in ("uvicorn.error", "uvicorn.access", "pgqueuer"):
        logging.getLogger(name).setLevel(logging.WARNING)


def formatter(*, as_json: bool) -> logging.Formatter:
    """The formatter of the one handler."""
    return JsonLines() if as_json else ConsoleLines(coloured=sys.stderr.isatty())


def _wants_json(log_format: str) -> bool:
    if log_format == "auto":
        return not sys.stderr.isatty()
    return log_format == "json"
