"""What of an error may be shown: reference data-agent.md §7.4."""

import pytest

from yarrow.datasets.sandbox.sanitise import sanitise


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
        ('  File "/srv/app/x.py", line 3, in f', "x.py"),
    ],
)
def test_secrets_and_paths_are_taken_out(text: str, hidden: str) -> None:
    assert hidden not in sanitise(text)


def test_of_a_traceback_only_the_error_is_kept() -> None:
    text = (
        'Traceback (most recent call last):\n  File "<code>", line 1, in <module>\n'
        "    1/0\nZeroDivisionError: division by zero\n"
    )

    assert sanitise(text) == "ZeroDivisionError: division by zero"


def test_markup_is_escaped_and_length_capped() -> None:
    assert sanitise("<script>") == "&lt;script&gt;"
    assert len(sanitise("x" * 5000)) == 503


def test_plain_words_stay_as_they_are() -> None:
    said = "Binder Error: column amonut does not exist, did you mean amount?"

    assert sanitise(said) == said
