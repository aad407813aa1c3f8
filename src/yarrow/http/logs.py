"""Logs: one line per state change, as JSON or for a terminal, without secrets or contents."""

import logging
import re
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from yarrow.http.request_id import current_request_id
from yarrow.settings import Settings

REDACTED = "(redacted)"

_PRIVATE_KEY = re.compile(
    r"authorization|cookie|token$|^token|password|passwd|secret|api.?key|credential"
    r"|prompt|content|^messages?$|^answer|dsn",
    re.IGNORECASE,
)
_COUNT_KEY = re.compile(r"_tokens$|^tokens$|content_(?:length|type)$")
_QUERY = re.compile(r"(?<=[\w/.])\?[^\s\"']+=[^\s\"']*")
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/@]+@")


def redact(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Drop what must not be kept: contents and credentials by key, query strings by shape."""
    for key, value in event.items():
        if _PRIVATE_KEY.search(key) and not _COUNT_KEY.search(key):
            event[key] = REDACTED
        elif isinstance(value, str):
            event[key] = redacted_text(value)
    return event


def redacted_text(text: str) -> str:
    """Text without the query strings (signatures, tokens) and passwords of its URLs."""
    return _URL_PASSWORD.sub("", _QUERY.sub("", text))


def add_request_id(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    request_id = current_request_id()
    if request_id is not None:
        event.setdefault("request_id", request_id)
    return event


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
    # One line per request is metrics' work; at this level only failures remain.
    logging.getLogger("uvicorn.access").setLevel(logging.WARNING)


def formatter(*, as_json: bool) -> structlog.stdlib.ProcessorFormatter:
    """The formatter of the one handler. Tracebacks are formatted before texts are redacted."""
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        add_request_id,
        structlog.processors.format_exc_info,
        redact,
    ]
    render: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
    )


def _wants_json(log_format: str) -> bool:
    if log_format == "auto":
        return not sys.stderr.isatty()
    return log_format == "json"
