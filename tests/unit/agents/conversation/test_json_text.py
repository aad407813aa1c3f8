"""An action is found wherever a model puts it."""

import pytest

from yarrow.agents.conversation.json_text import (
    MAX_SEARCHED_CHARS,
    MAX_TOKENS,
    MAX_WASTED_CHARS,
    JsonSpan,
    decode_lenient,
    find_objects,
)


@pytest.mark.parametrize(
    "text, value",
    [
        ('{"action": "summary"}', {"action": "summary"}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('{"code": "print(\'}\')"}', {"code": "print('}')"}),
        ('{"code": "a = \\"{\\" # }"}', {"code": 'a = "{" # }'}),
        ('{"a": 1, // why\n "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
        ('{"a": 1, /* why } */ "b": [1, /* , */ ],}', {"a": 1, "b": [1]}),
        ('{"code": "x /* y */"}', {"code": "x /* y */"}),
        ('{"url": "http://x"}', {"url": "http://x"}),
        ('{"code": "line\nline"}', {"code": "line\nline"}),
        ('{broken} {"a": 1}', {"a": 1}),
        ('{"a": 1} {"a": 2}', {"a": 1}),
        ('{"a": {"b": {"c": "}"}}}', {"a": {"b": {"c": "}"}}}),
        ('{"字段": "值"}', {"字段": "值"}),
    ],
)
def test_the_first_object_is_found(text: str, value: object) -> None:
    assert next(find_objects(text)).value == value


def test_an_object_says_where_it_stands() -> None:
    assert list(find_objects('So: {"a": 1}.')) == [JsonSpan({"a": 1}, 4, 12)]


@pytest.mark.parametrize("text", ["", "no object", "{", '{"a": ', "[1]", "{" * 100_000])
def test_where_there_is_none_nothing_is_found(text: str) -> None:
    assert list(find_objects(text)) == []


def test_half_a_character_is_replaced() -> None:
    assert next(find_objects('{"a": "\\ud83d!"}')).value == {"a": "?!"}


def test_words_and_data_before_an_action_do_not_hide_it() -> None:
    found = list(find_objects('A row is {"x": 1}.\n{"action": "summary", "summary": "ok"}'))

    assert [item.value for item in found] == [{"x": 1}, {"action": "summary", "summary": "ok"}]


@pytest.mark.parametrize(
    "text",
    [
        '{"a":' * 100_000,
        '{"a": "' + '\\"' * 200_000,
        "[{," * 50_000,
        '{"a": 1,' + " ," * 100_000,
        "{//" * 50_000,
        "{/*" * 50_000,
        '{"a": 1,' + "/* */ ," * 20_000,
        '{"a": "x\n' * 20_000,
    ],
)
def test_hostile_text_is_read_to_its_end(text: str) -> None:
    """Linear work takes under a second; quadratic work would run into the test's timeout."""
    assert list(find_objects(text)) == []


def test_the_search_ends_after_a_bound_of_characters() -> None:
    near, far = " " * (MAX_SEARCHED_CHARS - 20), " " * MAX_SEARCHED_CHARS

    assert [found.value for found in find_objects(near + '{"a":1}')] == [{"a": 1}]
    assert list(find_objects(far + '{"a":1}')) == []


def test_sloppy_json_is_read_up_to_a_bound_of_tokens() -> None:
    few, many = ('{"a": [' + "[]," * count + "]}" for count in (100, MAX_TOKENS))

    assert [found.value for found in find_objects(few)] == [{"a": [[]] * 100}]
    assert list(find_objects(many)) == []


def test_openings_that_fail_use_up_the_search() -> None:
    long = " " * (MAX_WASTED_CHARS // 10)

    assert [found.value for found in find_objects('{"a":' * 9 + long + '{"b":1}')] == [{"b": 1}]
    assert list(find_objects('{"a":' * 11 + long + '{"b":1}')) == []


@pytest.mark.parametrize(
    "cut", ['{"filter": {"a": 1}, "limit": 1', '{"a": {"b": {}}', '{"a": [{"b": 1}']
)
def test_an_object_inside_a_cut_one_is_not_taken_for_it(cut: str) -> None:
    assert decode_lenient(cut) is None
