"""Formatting of log records: JSON or console lines, without secrets, prompts and answers.

Formatters for the standard library's logging: a logging library would lengthen the server's
start by a fifth.
"""

import logging
import re
import sys
from datetime import UTC, datetime
from functools import lru_cache

from yarrow.http.middleware import current_request_id
from yarrow.kit.json import JsonObject, JsonValue, encode_json
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

_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "color_message",
}
"""Attributes that are not from `extra`; uvicorn adds `color_message` to its own records."""

_COLOURS = {"DEBUG": 34, "INFO": 32, "WARNING": 33, "ERROR": 31, "CRITICAL": 35}


def collect_fields(record: logging.LogRecord) -> JsonObject:
    """The record as ordered, redacted fields; the traceback is one of them."""
    fields: dict[str, object] = {
        "timestamp": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "level": record.levelname.lower(),
        "logger": record.name,
        "event": record.getMessage(),
    }
    if (request_id := current_request_id()) is not None:
        fields["request_id"] = request_id
    fields |= {key: value for key, value in vars(record).items() if key not in _STANDARD_ATTRIBUTES}
    if record.exc_info:
        fields["exception"] = redact_rows(logging.Formatter().formatException(record.exc_info))
    return {key: redact_value(key, value) for key, value in fields.items()}


def redact_value(key: str, value: object) -> JsonValue:
    """Drop contents and credentials by key, query strings by pattern."""
    if _is_private(key):
        return REDACTED
    if value is None or isinstance(value, (int, float)):
        return value
    return redact_text(str(value))


@lru_cache(maxsize=256)
def _is_private(key: str) -> bool:
    return bool(_PRIVATE_KEY.search(key) and not _COUNT_KEY.search(key))


def redact_rows(trace: str) -> str:
    """Cut PostgreSQL's DETAIL from a traceback: it quotes the row, which may hold an answer."""
    return _DETAIL.sub("DETAIL: (redacted)", trace)


def redact_text(text: str) -> str:
    """Cut query strings (signatures, tokens) and passwords from URLs in the text."""
    if "?" in text:
        text = _QUERY.sub("", text)
    return _URL_PASSWORD.sub("", text) if "://" in text else text


class JsonLogFormatter(logging.Formatter):
    """One JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        return encode_json(collect_fields(record)).decode()


class ConsoleLogFormatter(logging.Formatter):
    """For a terminal: time, level, event, then the other fields."""

    def __init__(self, *, coloured: bool) -> None:
        super().__init__()
        self._coloured = coloured

    def format(self, record: logging.LogRecord) -> str:
        fields = collect_fields(record)
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
    """Send all records, ours and the libraries', to one handler on standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(make_log_formatter(as_json=_is_json(settings.log_format)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    # Their start and stop lines repeat ours; requests are counted by metrics instead.
    for name in ("uvicorn.error", "uvicorn.access", "pgqueuer"):
        logging.getLogger(name).setLevel(logging.WARNING)


def make_log_formatter(*, as_json: bool) -> logging.Formatter:
    return JsonLogFormatter() if as_json else ConsoleLogFormatter(coloured=sys.stderr.isatty())


def _is_json(log_format: str) -> bool:
    if log_format == "auto":
        return not sys.stderr.isatty()
    return log_format == "json"
