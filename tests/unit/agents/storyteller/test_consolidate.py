"""The answer of the memory model is read, whatever numbers and characters it has."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yarrow.agents.storyteller.consolidate import Consolidation, parse_consolidation
from yarrow.memory.model import DEFAULT_IMPORTANCE


def parse(reply: str) -> Consolidation:
    result = parse_consolidation(reply, (), is_summarised=False)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("written", "importance"),
    [
        ("0.7", 0.7),
        ("2", 1.0),
        ("-1", 0.0),
        ("9" * 400, 1.0),
        ("-" + "9" * 400, 0.0),
        ("NaN", DEFAULT_IMPORTANCE),
        ("Infinity", DEFAULT_IMPORTANCE),
        ("1e999", DEFAULT_IMPORTANCE),
        ("true", DEFAULT_IMPORTANCE),
        ('"high"', DEFAULT_IMPORTANCE),
    ],
)
def test_importance_is_from_0_to_1(written: str, importance: float) -> None:
    fact = f'{{"content": "rain", "importance": {written}}}'

    (note,) = parse(f'{{"factsAdd": [{fact}]}}').notes

    assert note.importance == importance


def test_nul_is_replaced() -> None:
    fact = r'{"key": "we\u0000ather", "content": "ra\u0000in"}'

    notes = parse(rf'{{"turnSummary": "It \u0000 rains.", "factsAdd": [{fact}]}}').notes

    assert [note.content for note in notes] == ["It \ufffd rains.", "ra\ufffdin"]
    assert notes[1].fact_key == "we\ufffdather"


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["key", "label", "content", "value", "importance", "id", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
FIELDS = ("turnSummary", "factsAdd", "facts_update", "factsDeprecate", "openLoopsAdd")


@given(st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, min_size=1))
def test_no_answer_is_an_error(answer: dict[str, object]) -> None:
    """Nothing around the parser catches its errors: one would fail the turn."""
    parse_consolidation(json.dumps(answer), (), is_summarised=False)
