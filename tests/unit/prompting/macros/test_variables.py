"""Variable macros, their shorthand and their paths."""

import pytest
from tests.unit.prompting.macros.example import expand


def test_scopes_do_not_see_each_other():  # seed 4, variable macros
    expanded = expand(
        "{{.k=L}}{{$k=G}}{{.k}}{{$k}}{{deletevar::k}}{{hasvar::k}}{{hasglobalvar::k}}"
    )

    assert expanded.text == "LGfalsetrue"
    assert expanded.staged == [
        ("set", "branch", "k", "L"), ("set", "global", "k", "G"), ("delete", "branch", "k"),
    ]  # fmt: skip


@pytest.mark.parametrize("word", ["var", "globalvar"])
def test_every_macro_exists_for_both_scopes(word):
    text = "{{setW::a::1}}{{addW::a::2}}{{incW::a}}{{decW::a}}{{getW::a}}{{hasW::a}}{{deleteW::a}}"

    expanded = expand((text + "{{hasW::a}}").replace("W", word))

    assert expanded.text == "433truefalse"
    scope = "global" if word == "globalvar" else "branch"
    assert [mutation[1] for mutation in expanded.staged] == [scope] * 5


@pytest.mark.parametrize(
    ("local", "added", "result"),
    [
        ({}, "3", "3"),
        ({}, "cd", "cd"),
        ({"v": "ab"}, "cd", "abcd"),
        ({"v": "5"}, "cd", "5cd"),
        ({"v": 5}, "3", "8"),
        ({"v": "0.1"}, "0.2", "0.30000000000000004"),
        ({"v": "5"}, "-7", "-2"),
        ({"v": ""}, "2", "2"),
        ({"v": None}, "x", "x"),
    ],
)
def test_adding_sums_numbers_and_joins_text(local, added, result):
    expanded = expand(f"{{{{addvar::v::{added}}}}}", local=local)

    assert expanded.text == ""
    assert expanded.staged == [("set", "branch", "v", result)]


@pytest.mark.parametrize("word", ["setvar", "addvar", "setglobalvar", "addglobalvar"])
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("x::y", "x::y"),
        ("x :: y", "x :: y"),
        ("{{user}}::y::{{char}}", "Player::y::Luna"),
        ("a::{{.k}}::", "a::::"),
    ],
)
def test_a_value_may_hold_what_separates_arguments(word, written, value):
    """SillyTavern 1.12 takes all that follows the name as the value."""
    expanded = expand(f"{{{{{word}::a::{written}}}}}")

    assert [mutation[2:] for mutation in expanded.staged] == [("a", value)]
    assert expanded.warnings == []


def test_adding_to_a_list_appends():
    assert expand("{{addvar::v::x}}", local={"v": ["a"]}).staged == [
        ("set", "branch", "v", ["a", "x"])
    ]
    assert expand("{{addvar::v::x}}", local={"v": '["a"]'}).staged == [
        ("set", "branch", "v", '["a","x"]')
    ]
    assert expand("{{addvar::v::x}}", local={"v": "[a"}).staged == [("set", "branch", "v", "[ax")]


def test_counting_takes_what_is_no_number_for_zero():
    assert expand("{{incvar::a}}{{decvar::b}}", local={"a": "text"}).text == "1-1"
    assert expand("{{incvar::a}}", local={"a": 1.5}).text == "2.5"


@pytest.mark.parametrize(
    "text",
    ["{{$n++}}", "{{$n--}}", "{{.n||=1}}", "{{.n??=1}}", "{{.n==1}}", "{{.n+=2}}", "{{.n-=2}}",
     "{{$n+=2}}", "{{.n||1}}", "{{.n??1}}", "{{.n>1}}", "{{.n!=1}}", "{{.n<=1}}", "{{.n++5}}",
     "{{.}}", "{{$}}", "{{.=1}}", "{{.n||={{.y=1}}}}"],
)  # fmt: skip
def test_unsupported_shorthand_stays_and_writes_nothing(text):  # seed 4, variable macros
    expanded = expand(text, local={"n": "1"}, shared={"n": "1"})

    assert expanded.text == text
    assert expanded.warnings == ["macro_unknown"]
    assert expanded.staged == []


@pytest.mark.parametrize(
    ("text", "staged"),
    [
        ("{{.my-var=1}}", ("set", "branch", "my-var", "1")),
        ("{{.my-var--}}", ("set", "branch", "my-var", "-1")),
        ("{{ .n ++ }}", ("set", "branch", "n", "1")),
        ("{{.n=}}", ("set", "branch", "n", "")),
        ("{{.n=a=b==c}}", ("set", "branch", "n", "a=b==c")),
        ("{{.n= two words }}", ("set", "branch", "n", "two words")),
        ("{{.n=a::b}}", ("set", "branch", "n", "a::b")),
        ("{{$账户.余额=100}}", ("set", "global", "账户", {"余额": "100"})),
        ("{{.a['x=y']=1}}", ("set", "branch", "a", {"x=y": "1"})),
    ],
)
def test_shorthand_writes(text, staged):  # seed 4, variable macros
    assert expand(text).staged == [staged]
    assert expand(text).warnings == []


def test_the_whole_key_comes_before_the_path():  # seed 4, variable macros
    local = {"a.b": "flat", "a": {"b": "deep"}}

    assert expand("{{getvar::a.b}}", local=local).text == "flat"
    assert expand("{{setvar::a.b::x}}", local=local).staged == [("set", "branch", "a.b", "x")]
    assert expand("{{deletevar::a.b}}", local=local).staged == [("delete", "branch", "a.b")]


@pytest.mark.parametrize(
    ("path", "result"),
    [
        ("o.a", "1"), ("o['b c'].d", "2"), ('o["b c"]["d"]', "2"), ("o['b c']", '{"d":2}'),
        ("o.none", ""), ("o.none.deeper", ""), ("none.a.b", ""), ("o.nil.x", ""), ("l[1]", "y"),
        ("l[9]", ""), ("['o'].a", "1"), ("o . a", "1"),
    ],
)  # fmt: skip
def test_paths_read_structures(path, result):
    local = {"o": {"a": 1, "b c": {"d": 2}, "nil": None}, "l": ["x", "y"]}

    expanded = expand(f"{{{{getvar::{path}}}}}", local=local)

    assert (expanded.text, expanded.warnings) == (result, [])


@pytest.mark.parametrize("path", ["a..b", "a.", ".b", "a[", "a[b]", "a['b'", "a['b']c", "o[0]"])
def test_a_broken_path_keeps_the_macro(path):
    text = f"{{{{getvar::{path}}}}}"

    expanded = expand(text, local={"o": {}})

    assert (expanded.text, expanded.warnings) == (text, ["macro_parse_failed"])


@pytest.mark.parametrize("text", ["{{getvar::a.b}}", "{{.a.b=1}}", "{{.a.b++}}", "{{hasvar::a.b}}"])
def test_a_path_through_a_plain_value_keeps_the_macro(text):
    expanded = expand(text, local={"a": "text"})

    assert (expanded.text, expanded.warnings) == (text, ["macro_arg_type_invalid"])
    assert expanded.staged == []


def test_writing_a_path_stages_the_whole_root_once():
    local = {"a": {"b": {"c": 1}, "x": 0}}

    expanded = expand("{{setvar::a.b.d::2}}{{getvar::a}}", local=local)

    assert expanded.text == '{"b":{"c":1,"d":"2"},"x":0}'
    assert expanded.staged == [("set", "branch", "a", {"b": {"c": 1, "d": "2"}, "x": 0})]
    assert local == {"a": {"b": {"c": 1}, "x": 0}}


def test_writing_a_path_makes_missing_objects():
    assert expand("{{.a.b.c=1}}").staged == [("set", "branch", "a", {"b": {"c": "1"}})]


def test_list_items_can_be_written_and_deleted():
    local = {"l": [{"n": 1}, "x"]}

    assert expand("{{.l[0].n=2}}", local=local).staged == [
        ("set", "branch", "l", [{"n": "2"}, "x"])
    ]
    assert expand("{{.l[2]=y}}", local=local).staged[0][3] == [{"n": 1}, "x", "y"]
    assert expand("{{deletevar::l[0]}}", local=local).staged[0][3] == ["x"]
    assert expand("{{.l[7]=y}}", local=local).warnings == ["macro_arg_type_invalid"]


def test_deleting_what_is_missing_is_staged_for_a_key_and_not_for_a_path():
    expanded = expand(
        "{{deletevar::none}}{{deletevar::o.none}}{{deletevar::none.x}}", local={"o": {}}
    )

    assert (expanded.text, expanded.warnings) == ("", [])
    assert expanded.staged == [("delete", "branch", "none")]


def test_deleting_a_leaf_stages_the_root():
    expanded = expand("{{flushvar::a.b.c}}", local={"a": {"b": {"c": 1, "d": 2}}})

    assert expanded.staged == [("set", "branch", "a", {"b": {"d": 2}})]
