"""What a log line says, and what it never says."""

import json
import logging
from collections.abc import Iterator

import pytest

from yarrow.http.logs import REDACTED, configure_logs, make_log_formatter, redact_text
from yarrow.settings import Settings


def line(message: str, **extra: object) -> str:
    return formatted(message, extra, as_json=True)


def formatted(message: str, extra: dict[str, object], *, as_json: bool) -> str:
    record = logging.getLogger("yarrow.test").makeRecord(
        "yarrow.test", logging.INFO, __file__, 1, message, (), None, extra=extra
    )
    return make_log_formatter(as_json=as_json).format(record)


def test_line_is_json_with_its_ids() -> None:
    result = json.loads(line("run.settled", run_id="r1", points=20))

    assert (result["event"], result["run_id"], result["points"]) == ("run.settled", "r1", 20)
    assert (result["level"], result["logger"]) == ("info", "yarrow.test")
    assert result["timestamp"].endswith("Z")


@pytest.mark.parametrize(
    "key", ["authorization", "access_token", "token", "password", "prompt", "content", "api_key"]
)
def test_private_keys_are_redacted(key: str) -> None:
    assert json.loads(line("x", **{key: "private"}))[key] == REDACTED


def test_token_counts_are_not_redacted() -> None:
    assert json.loads(line("x", input_tokens=5))["input_tokens"] == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://s3/x.png?sig=abc&e=1 done", "https://s3/x.png done"),
        ('"GET /files/a?token=abc HTTP/1.1"', '"GET /files/a HTTP/1.1"'),
        ("postgresql://user:pw@host/db", "postgresql://host/db"),
        ("why? because a=b", "why? because a=b"),
    ],
)
def test_query_strings_and_passwords_are_cut(text: str, expected: str) -> None:
    assert redact_text(text) == expected


def test_traceback_is_redacted_too() -> None:
    try:
        raise ValueError("GET https://s3/x?sig=private")
    except ValueError as error:
        record = logging.makeLogRecord(
            {"msg": "x", "exc_info": (ValueError, error, error.__traceback__)}
        )

    result = make_log_formatter(as_json=True).format(record)

    assert "ValueError" in result
    assert "sig=private" not in result


def test_traceback_quotes_no_row() -> None:
    try:
        raise ValueError("bad row\nDETAIL: Failing row contains (my answer,\nsecond line)")
    except ValueError as error:
        record = logging.makeLogRecord(
            {"msg": "x", "exc_info": (ValueError, error, error.__traceback__)}
        )

    result = make_log_formatter(as_json=True).format(record)

    assert "bad row" in result
    assert "answer" not in result
    assert "second line" not in result


def test_console_line_has_time_level_event_and_fields() -> None:
    assert "run.settled" in formatted("run.settled", {"run_id": "r1"}, as_json=False)


@pytest.fixture
def untouched_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("untouched_logging")
def test_libraries_log_through_the_same_handler(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logs(Settings(log_format="json"))

    logging.getLogger("some.library").warning("Lost %s", "something")

    assert json.loads(capsys.readouterr().err)["event"] == "Lost something"
