"""An action is found wherever a model puts it."""

import pytest

from yarrow.agents.analyst.json_in_text import Found, find_object


@pytest.mark.parametrize(
    "text, value",
    [
        ('{"action": "summary"}', {"action": "summary"}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"code": "print(\'}\')"}', {"code": "print('}')"}),
        ('{"code": "a = \\"{\\" # }"}', {"code": 'a = "{" # }'}),
        ('{"a": 1, // why\n "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ('{"url": "http://x"}', {"url": "http://x"}),
        ('{"code": "line\nline"}', {"code": "line\nline"}),
        ('{broken} {"a": 1}', {"a": 1}),
        ('{"a": 1} {"a": 2}', {"a": 1}),
        ('{"a": {"b": {"c": "}"}}}', {"a": {"b": {"c": "}"}}}),
        ('{"字段": "值"}', {"字段": "值"}),
    ],
)
def test_the_first_object_is_found(text: str, value: object) -> None:
    found = find_object(text)

    assert found is not None
    assert found.value == value


def test_words_around_an_object_are_kept_without_its_fence() -> None:
    assert find_object('Let me see.\n```json\n{"a": 1}\n```\nDone.') == Found(
        {"a": 1}, "Let me see.", "Done."
    )


@pytest.mark.parametrize("text", ["", "no object", "{", '{"a": ', "[1]", "{" * 100_000])
def test_where_there_is_none_nothing_is_found(text: str) -> None:
    assert find_object(text) is None
