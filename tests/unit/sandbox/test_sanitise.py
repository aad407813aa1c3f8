"""What of an error may be shown: reference data-agent.md §7.4."""

import os
import sys

import pytest

from yarrow.sandbox.sanitise import redact_server_paths, sanitise_message


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("api_key=sk-123456 refused", "sk-123456"),
        ("token: abc.def", "abc.def"),
        ("password=hunter2;", "hunter2"),
        ("secret = s3cr3t", "s3cr3t"),
        ("Authorization: Bearer eyJhbGciOi", "eyJhbGciOi"),
        ("cannot reach postgresql://bob:pw12@db.host/x", "pw12"),
        ("cannot reach https://bob:pw12@db.host/x", "bob"),
        ("No such file /home/bob/data.csv", "/home/bob"),
        ('cannot open "/var/lib/yarrow/datasets/x.parquet"', "/var/lib"),
        (r"No such file C:\Users\bob\x.csv", "bob"),
        ("OSError: [Errno 2] No such file: '/srv-root/.venv/x'", "srv-root"),
        ("IO Error: cannot open (/数据/表/x.parquet)", "数据"),
        (f"OSError: {sys.prefix}", sys.prefix),
        ('  File "/srv/app/x.py", line 3, in f', "x.py"),
    ],
)
def test_secrets_and_paths_are_taken_out(text: str, hidden: str) -> None:
    assert hidden not in sanitise_message(text)


def test_of_a_traceback_only_the_error_is_kept() -> None:
    text = (
        'Traceback (most recent call last):\n  File "<code>", line 1, in <module>\n'
        "    1/0\nZeroDivisionError: division by zero\n"
    )

    assert sanitise_message(text) == "ZeroDivisionError: division by zero"


def test_markup_is_escaped_and_length_capped() -> None:
    assert sanitise_message("<script>") == "&lt;script&gt;"
    assert len(sanitise_message("x" * 5000)) == 503


def test_plain_words_stay_as_they_are() -> None:
    said = "Binder Error: column amonut does not exist, did you mean amount?"

    assert sanitise_message(said) == said


@pytest.mark.parametrize(
    "said",
    [
        "could not parse 1/2/2026 as a date",
        "the share is 3/4, either/or",
        "no answer from https://example.org/a/b",
        "km/h or m/s",
    ],
)
def test_a_stroke_alone_makes_no_path(said: str) -> None:
    assert sanitise_message(said) == said


def test_of_what_is_printed_only_the_server_s_own_paths_go() -> None:
    printed = f"{os.__file__}:3: warning\n/blog/post-1  12\n"

    assert redact_server_paths(printed) == "<path>:3: warning\n/blog/post-1  12\n"
