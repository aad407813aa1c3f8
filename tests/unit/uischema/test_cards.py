"""From hints to cards: the seed's example, the order, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.loose_json import JsonObject, JsonValue, decode_json
from tests.ui_schema_page import broken_rules, samples

from yarrow.kit.json import encode_json
from yarrow.uischema import (
    CARD_SCHEMA,
    HintsInvalid,
    Meta,
    add_language_and_origin,
    compile_stored_card,
    read_card_hints,
    read_hints,
)

SEED: JsonObject = {"status": "success", "title": "日程已创建", "body": "您的会议日程创建成功"}


@pytest.mark.parametrize("more", [{}, {"badges": ["SUCCESS"]}])
def test_the_seeds_card_comes_out_exactly(more: JsonObject) -> None:  # seed 2, history example
    card = compile_stored_card(add_language_and_origin(SEED | more, locale="zh-CN", meta=Meta()))

    (printed,) = samples("schema")
    assert encode_json(card) == encode_json(printed)


def children_of(hints: JsonObject) -> list[JsonObject]:
    card: JsonValue = compile_stored_card(hints)
    children: list[JsonObject] = card["root"]["children"]
    return children


def test_status_gets_a_badge_only_when_it_is_named() -> None:
    assert [node["type"] for node in children_of({"title": "a"})] == ["text"]
    assert [node["type"] for node in children_of(SEED | {"badges": []})] == ["text", "text"]
    assert children_of({"status": "pending", "body": "b"})[0] == {
        "type": "badge",
        "label": "PENDING",
        "status": "pending",
    }


def test_card_without_status_is_information() -> None:
    card = compile_stored_card({"title": "a"})

    assert card is not None
    assert (card["status"], card["theme"], card["locale"]) == ("info", "default", "und")
    assert "meta" not in card


def test_origin_is_kept_where_it_is_known() -> None:
    card = compile_stored_card(
        add_language_and_origin({"title": "a"}, locale="en", meta=Meta(tool_id="t", request_id="r"))
    )

    assert card is not None
    assert card["meta"] == {"requestId": "r", "toolId": "t"}


def test_server_says_language_and_origin() -> None:
    given_: JsonObject = {"title": "a", "locale": "xx", "meta": {"userId": "somebody"}}

    card = compile_stored_card(add_language_and_origin(given_, locale="en", meta=Meta(tool_id="t")))

    assert card is not None
    assert (card["locale"], card["meta"]) == ("en", {"toolId": "t"})


def test_sections_are_divided_and_buttons_come_last() -> None:
    action = {"type": "message", "label": "Go", "text": "go"}
    hints = {"title": "a", "sections": [{"title": "b"}, {"body": "c"}], "actions": [action]}

    nodes = children_of(hints)

    assert [node["type"] for node in nodes] == [
        *("text", "divider", "stack", "divider", "stack"),
        "stack",
    ]
    assert nodes[2]["children"] == [{"type": "text", "content": "b", "role": "subtitle"}]
    assert nodes[-1]["direction"] == "horizontal"


def test_figures_become_text() -> None:
    (facts,) = children_of({"facts": {"a": 1, "b": 2.5, "c": 3.0, "d": "x", "e": ""}})

    assert [entry["value"] for entry in facts["entries"]] == ["1", "2.5", "3", "x", ""]


def test_facts_keep_their_order_however_they_are_written() -> None:
    facts = {"long name": 1, "b": 2, "a": 3}
    hints: JsonObject = {"title": "t", "facts": facts, "sections": [{"facts": facts}]}

    kept: JsonObject = add_language_and_origin(hints, locale="en", meta=Meta())

    in_order = [{"key": "long name", "value": 1}, {"key": "b", "value": 2}]
    assert kept["facts"][:2] == kept["sections"][0]["facts"][:2] == in_order
    assert children_of(kept) == children_of(hints)


LINK = {"type": "link", "label": "x"}
REFUSED: list[tuple[JsonValue, str]] = [
    (None, "object"),
    ([], "object"),
    ({}, "must show something"),
    ({"status": "success"}, "must show something"),
    ({"title": "a", "colour": "red"}, "unknown field `colour`"),
    ({"title": 1}, "$.title"),
    ({"title": " \n"}, "not blank"),
    ({"title": "a\0b"}, "control characters"),
    ({"title": "x" * 201}, "length <= 200"),
    ({"body": "x" * 4001}, "length <= 4000"),
    ({"items": ["x"] * 51}, "length <= 50"),
    ({"title": "a", "status": "fine"}, "$.status"),
    ({"table": {"columns": ["a", "b"], "rows": [["1"]]}}, "a cell for each column"),
    ({"progress": 1.1}, "$.progress"),
    ({"sections": [{"title": "a", "sections": []}]}, "unknown field `sections`"),
    ({"sections": [{}]}, "every section"),
    ({"image": {"src": "https://evil.example/x.png", "alt": "x"}}, "path of this server"),
    ({"image": {"src": "//evil.example/x.png", "alt": "x"}}, "path of this server"),
    ({"image": {"src": "/api/v1/../../x", "alt": "x"}}, "path of this server"),
    ({"image": {"src": "data:image/png;base64,AA", "alt": "x"}}, "path of this server"),
    ({"actions": [LINK | {"href": "javascript:alert(1)"}]}, "an https address"),
    ({"actions": [LINK | {"href": "http://example.org"}]}, "an https address"),
    ({"actions": [LINK | {"href": "https://user:pw@example.org"}]}, "an https address"),
    ({"actions": [LINK | {"href": "https://example.org/\n"}]}, "an https address"),
    ({"actions": [{"type": "eval", "label": "x", "code": "1"}]}, "$.actions[0].type"),
    ({"title": "a", "locale": "no language"}, "$.locale"),
]


@pytest.mark.parametrize("hints, problem", REFUSED)
def test_hints_that_break_a_rule_make_no_card(hints: JsonValue, problem: str) -> None:
    read = read_hints(hints)

    assert isinstance(read, HintsInvalid)
    assert problem in read.problem
    assert read.problem.isprintable()
    assert compile_stored_card(hints) is None


def test_complaints_can_be_kept_whatever_they_quote() -> None:
    read = read_card_hints({"\0\n" * 500: 1})

    assert isinstance(read, HintsInvalid)
    assert read.problem.isprintable()
    assert len(read.problem) <= 300


def test_model_cannot_say_language_and_origin() -> None:
    for key in ("locale", "meta", "sections"):
        assert isinstance(read_card_hints({"title": "a", key: "en"}), HintsInvalid)


def test_schema_for_models_is_short_and_plain() -> None:
    written = encode_json(CARD_SCHEMA).decode()

    assert len(written) < 2_500
    assert not [word for word in ("$ref", "pattern", "null", "maxLength") if word in written]
    properties: JsonValue = CARD_SCHEMA["properties"]
    assert set(properties) >= {"title", "body", "items", "facts", "table", "actions"}


_texts = st.text(max_size=6) | st.sampled_from(["a", "/api/v1/x", "https://a.b", "info", "link"])
_scalars = st.none() | st.booleans() | st.integers() | st.floats() | _texts
_keys = st.sampled_from(
    [
        *("title", "badges", "body", "image", "facts", "items", "table", "progress", "actions"),
        *("status", "sections", "locale", "meta", "label", "src", "alt", "columns", "rows"),
        *("type", "text", "href", "value", "detail", "toolId"),
    ]
)
_json = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys | _texts, inner, max_size=5),
    max_leaves=12,
)


@given(st.dictionaries(_keys, _json, max_size=6) | _json)
def test_any_json_is_a_card_or_none(hints: JsonValue) -> None:
    card = compile_stored_card(hints)

    assert card is None or broken_rules(decode_json(encode_json(card))) == []


_label = st.text("ab 卦\n", min_size=1, max_size=8).filter(str.strip)
_cells = _label | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
_tables = st.integers(1, 3).flatmap(
    lambda width: st.fixed_dictionaries(
        {
            "columns": st.lists(_label, min_size=width, max_size=width),
            "rows": st.lists(st.lists(_cells, min_size=width, max_size=width), max_size=3),
        }
    )
)
_status = st.sampled_from(["info", "success", "warning", "error", "pending"])
_parts: dict[str, st.SearchStrategy[JsonValue]] = {
    "badges": st.lists(
        _label | st.fixed_dictionaries({"label": _label, "status": _status}), max_size=3
    ),
    "body": _label,
    "facts": st.dictionaries(_label, _cells, max_size=3),
    "items": st.lists(
        _label | st.fixed_dictionaries({"title": _label}, optional={"detail": _label}), max_size=3
    ),
    "table": _tables,
    "progress": st.floats(0, 1),
    "actions": st.lists(
        st.fixed_dictionaries({"type": st.just("message"), "label": _label, "text": _label}),
        max_size=3,
    ),
}
_sections = st.fixed_dictionaries({"title": _label}, optional=_parts)
_cards = st.fixed_dictionaries(
    {"title": _label},
    optional={**_parts, "status": _status, "sections": st.lists(_sections, max_size=3)},
)


@given(_cards)
def test_good_hints_always_make_a_valid_card(hints: JsonObject) -> None:
    card = compile_stored_card(hints)

    assert card is not None
    assert broken_rules(decode_json(encode_json(card))) == []
