"""How macros are written: names, arguments, nesting, comments, escapes, aliases."""

import pytest
from tests.unit.prompting.macros.example import expand


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{user}}", "Player"),
        ("{{ user }}", "Player"),
        ("{{\nuser\n}}", "Player"),
        ("{{USER}} {{uSeR}}", "Player Player"),
        ("{{userName}} {{assistantName}}", "Player Luna"),
        ("<USER> <user> <BOT> <Char>", "Player Player Luna Luna"),
        ("<CHARIFNOTGROUP> <GROUP>", "Luna Luna"),
        ("<users> < user > </user>", "<users> < user > </user>"),
    ],
)
def test_names_ignore_case_and_space_around_them(text, result):
    assert expand(text).text == result


def test_group_alias_lists_the_group_where_there_is_one():
    values = {"char": "Luna", "group": "Luna, Sol"}

    assert expand("<GROUP>/{{group}}", values=values).text == "Luna, Sol/Luna, Sol"


@pytest.mark.parametrize(
    "text",
    ["{{reverse::abc}}", "{{reverse abc}}", "{{reverse:abc}}", "{{ reverse :: abc }}"],
)
def test_arguments_follow_two_colons_a_blank_or_one_colon(text):
    assert expand(text).text == "cba"


def test_one_argument_after_a_blank_reaches_to_the_end():
    assert expand("{{reverse Hello World}}").text == "dlroW olleH"
    assert expand("{{getvar my key}}", local={"my key": "v"}).text == "v"


def test_two_arguments_after_a_blank_are_a_key_and_the_rest():
    assert expand("{{setvar mood very calm}}").staged == [("set", "branch", "mood", "very calm")]
    expanded = expand("{{setvar {{char}} hi {{user}}}}")
    assert expanded.staged == [("set", "branch", "Luna", "hi Player")]


def test_arguments_are_trimmed_but_not_what_a_macro_gives():
    assert expand("{{setvar:: k ::  v  }}").staged == [("set", "branch", "k", "v")]
    assert expand("{{setvar::k::{{newline}}}}").staged == [("set", "branch", "k", "\n")]


def test_inner_macros_come_first():
    expanded = expand("{{getvar::{{char}}_{{getvar::what}}}}", local={"what": "x", "Luna_x": "!"})

    assert expanded.text == "!"
    assert expanded.report.used_names == ("char", "getvar")


def test_shorthand_names_and_values_may_hold_macros():
    expanded = expand("{{.{{char}}_mood={{user}} is {{.m}}}}{{.{{char}}_mood}}", local={"m": "ok"})

    assert expanded.text == "Player is ok"


def test_what_a_macro_gives_is_never_read_as_a_macro():
    expanded = expand("{{char}}{{getvar::x}}", values={"char": "{{user}}"}, local={"x": "{{.y=1}}"})

    assert expanded.text == "{{user}}{{.y=1}}"
    assert expanded.staged == []


@pytest.mark.parametrize("text", ["A{{// note}}B", "A{{//}}B", "A{{comment x::y}}B"])
def test_comments_disappear(text):
    assert expand(text).text == "AB"
    assert expand(text).warnings == []


def test_nothing_inside_a_comment_is_evaluated():
    expanded = expand("{{// {{setvar::a::1}} }}{{//}}{{setvar::b::1}}{{nosuch}}{{///}}")

    assert (expanded.text, expanded.warnings, expanded.staged) == ("", [], [])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        (r"\{\{user\}\}", "{{user}}"),
        (r"a \{ b \} c", "a { b } c"),
        (r"\\{", "\\{"),
        (r"{{setvar::x::\{\{user\}\}}}{{getvar::x}}", "{{user}}"),
        (r"C:\dir", r"C:\dir"),
    ],
)
def test_a_backslash_makes_a_brace_text(text, result):
    assert expand(text).text == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{}}", "{{}}"),
        ("{{ }}", "{{ }}"),
        ("}} {", "}} {"),
        ("{{{char}}}", "{Luna}"),
        ('{{setvar::o::{"a":{"b":1}}}}{{getvar::o}}', '{"a":{"b":1}}'),
        ('{{setvar::o::{"a":"{{user}}"}}}{{getvar::o}}', '{"a":"Player"}'),
        ('{{setvar::o::{"a":{{getvar::n}}}}}{{getvar::o}}', '{"a":}'),
    ],
)
def test_lone_braces_are_text_and_give_no_warning(text, result):
    assert (expand(text).text, expand(text).warnings) == (result, [])


def test_unclosed_braces_stay_and_the_rest_is_expanded():
    expanded = expand("{{user}} {{ hello {{char}} {{x")

    assert expanded.text == "Player {{ hello Luna {{x"
    assert expanded.warnings == ["macro_parse_failed"]


@pytest.mark.parametrize(
    "text",
    ["{{nosuch}}", "{{ NoSuch :: a }}", "{{nosuch a b}}", "{{a.b}}", "{{时间}}", "{{foo:bar}}"],
)
def test_unknown_macros_stay_as_they_are(text):
    expanded = expand(f"a {text} b")

    assert expanded.text == f"a {text} b"
    assert expanded.warnings == ["macro_unknown"]
    assert expanded.report.used_names == ()


def test_macros_inside_an_unknown_one_are_expanded():
    expanded = expand("{{nosuch::{{user}}}}")

    assert expanded.text == "{{nosuch::Player}}"
    assert expanded.warnings == ["macro_unknown"]


@pytest.mark.parametrize(
    "text",
    [
        "{{getvar}}", "{{getvar::}}", "{{getvar::a::b}}", "{{setvar::k}}",
        "{{user::x}}", "{{user x}}", "{{roll}}", "{{date::x}}", "{{incvar}}", "{{deletevar}}",
    ],
)  # fmt: skip
def test_a_wrong_number_of_arguments_keeps_the_macro(text):
    expanded = expand(text)

    assert expanded.text == text
    assert expanded.warnings == ["macro_arg_arity_invalid"]
    assert expanded.staged == []


def test_flags_that_mean_nothing_yet_are_read_over():
    assert expand("{{!user}} {{ ~ user }}").text == "Player Player"


def test_scoped_content_is_the_last_argument_trimmed_and_dedented():
    expanded = expand("{{setvar k}}\n    # A\n      b {{user}}\n  c\n{{/setvar}}{{.k}}")

    assert expanded.text == "# A\n  b Player\nc"
    assert expand("{{ reverse }}\n  Hello World\n{{ /reverse }}").text == "dlroW olleH"
    assert expand("{{setvar::k}}x{{/SETVAR}}").staged == [("set", "branch", "k", "x")]


def test_a_hash_keeps_the_space_of_scoped_content():
    assert expand("{{#setvar k}}\n a\n{{/setvar}}").staged == [("set", "branch", "k", "\n a\n")]


def test_scoped_blocks_nest():
    expanded = expand("{{setvar a}}x{{setvar b}}y{{/setvar}}z{{/setvar}}{{.a}}{{.b}}")

    assert expanded.text == "xzy"


def test_a_macro_that_is_complete_opens_no_block():
    expanded = expand("{{setvar::k::v}}x{{/setvar}}")

    assert expanded.text == "x{{/setvar}}"
    assert expanded.warnings == ["macro_unmatched_closing_block"]
