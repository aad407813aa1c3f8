"""The behaviour cases of kind `macro`: observed, documented by SillyTavern, or in the seed."""

import json
import re
from pathlib import Path

import pytest
from tests.unit.prompting.macros.example import Expanded, expand

from yarrow.prompting.macros import MacroLimits, MacroPhase, MutationKind, VariableMutation

_FILE = Path(__file__).parents[3] / "data" / "tavern" / "cases.json"
CASES = [case for case in json.loads(_FILE.read_text("utf-8"))["cases"] if case["kind"] == "macro"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_text_warnings_and_writes_are_those_of_the_oracle(case):
    expanded, expected = _expanded(case["given"]), case["expect"]

    assert _is_expected(expanded.text, expected)
    assert expanded.warnings == expected.get("warnings", expanded.warnings)
    staged = [_as_json(mutation) for mutation in expanded.report.staged_mutations]
    assert staged == expected.get("staged", staged)


def test_the_file_has_macro_cases():
    assert len(CASES) == 36


def _expanded(given) -> Expanded:
    return expand(
        given["text"],
        MacroPhase(given["phase"]),
        limits=MacroLimits(**given.get("limits", {})),
        values={name.lower(): value for name, value in given["values"].items()},
        local=given["local"],
        shared=given["global"],
    )


def _is_expected(text: str, expected) -> bool:
    if "pattern" in expected:
        return re.fullmatch(expected["pattern"], text) is not None
    accepted = expected.get("one_of") or [expected["text"], *expected.get("accept_text", [])]
    return text in accepted


def _as_json(mutation: VariableMutation):
    value = {"value": mutation.value} if mutation.kind is MutationKind.SET else {}
    return {"kind": mutation.kind, "scope": mutation.scope, "key": mutation.key} | value
