"""What cannot work is refused in one line, before anything is made."""

from pathlib import Path

import pytest
from tests.unit.cli.running import yarrow

pytestmark = pytest.mark.slow

SECRET_DSN = "postgres://bob:hunter2@127.0.0.1:9/x"


@pytest.mark.parametrize(
    ("arguments", "variables", "expected"),
    [
        (["serve", "--port", "99999"], {}, "--port must be between 0 and 65535, not 99999"),
        (
            ["serve", "--port", "0"],
            {"YARROW_LLM_BASEURL": "http://x/v1"},
            "YARROW_LLM_BASEURL is no setting; did you mean YARROW_LLM_BASE_URL?",
        ),
        (
            ["serve", "--port", "0"],
            {"YARROW_AUTHH": "jwt", "YARROW_LLM_MODLE": "x"},
            "YARROW_AUTHH is no setting; did you mean YARROW_AUTH? "
            "YARROW_LLM_MODLE is no setting; did you mean YARROW_LLM_MODEL?",
        ),
        (["worker"], {"YARROW_JWT_SECRET": "short"}, "YARROW_JWT_SECRET"),
        (
            ["serve", "--port", "0"],
            {"YARROW_DATABASE_URL": SECRET_DSN},
            "the database at 127.0.0.1 port 9 cannot be reached",
        ),
        (["points", "show", "a@b.c"], {}, "there is no database in /"),
    ],
)
def test_refusal_is_one_line_and_makes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    variables: dict[str, str],
    expected: str,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    ended = yarrow(*arguments, "--data-dir", str(tmp_path / "data"))

    (line,) = ended.stderr.decode().splitlines()
    assert expected in line
    assert "hunter2" not in line
    assert ended.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_doctor_calls_the_model_and_names_misspelt_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YARROW_LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("YARROW_LLM_MODEL", "some-model")
    monkeypatch.setenv("YARROW_LLM_MODLE", "x")

    ended = yarrow("doctor", "--data-dir", str(tmp_path / "data"))

    report = ended.stdout.decode()
    assert "FAIL  model      some-model: " in report
    assert "YARROW_LLM_MODLE is no setting; did you mean YARROW_LLM_MODEL?" in report
    assert ended.returncode == 1


def test_doctor_names_variables_that_are_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YARROW_FLAVOUR", "mint")
    assert b"not read, since they are no settings: YARROW_FLAVOUR" in doctor(tmp_path)

    monkeypatch.setenv("YARROW_LLM_URL", "http://127.0.0.1:9/v1")
    assert b"YARROW_LLM_URL is no setting; did you mean YARROW_LLM_BASE_URL?" in doctor(tmp_path)


def doctor(folder: Path) -> bytes:
    return yarrow("doctor", "--data-dir", str(folder / "data")).stdout
