"""If blocks: conditions, branches, and what stays raw."""

import pytest
from tests.unit.prompting.macros.example import expand

VALUES = {
    "user": "Player",
    "char": "Luna",
    "one": "1",
    "zero": "0",
    "mood": "happy",
    "quoted": '"a"',
}


def chosen(condition: str, **given) -> str:
    given.setdefault("values", VALUES)
    return expand(f"{{{{if {condition}}}}}Y{{{{else}}}}N{{{{/if}}}}", **given).text


@pytest.mark.parametrize(
    "value", ["", "  ", "false", "FALSE", "0", "off", "Off", "no", "NO", " 0 "]
)
def test_these_values_are_false(value):
    assert chosen("{{v}}", values={"v": value}) == "N"


@pytest.mark.parametrize("value", ["1", "true", "x", "-1", "0.0", "none", "null"])
def test_all_other_values_are_true(value):
    assert chosen("{{v}}", values={"v": value}) == "Y"


@pytest.mark.parametrize(
    ("condition", "result"),
    [
        ("1 == 1.0", "Y"), ("'1' == 1.00", "Y"), (".5 == 0.5", "Y"), ("-1 == -1.0", "Y"),
        ("{{mood}} == happy", "Y"), ("{{mood}} == Happy", "N"), ("{{mood}} != sad", "Y"),
        ("{{mood}} != happy", "N"), ("{{mood}} == 'happy'", "Y"), ('{{mood}} == "happy"', "Y"),
        (r"'it\'s' == "'"it' + "'s" + '"', "Y"), ("{{quoted}} == a", "Y"), ("'' == ''", "Y"),
        ("2 > 1", "Y"), ("1 > 2", "N"), ("10 > 9", "Y"), ("1 < 2", "Y"), ("2 >= 2", "Y"),
        ("1 <= 0", "N"), ("-2 < -1", "Y"), ("{{one}} >= {{zero}}", "Y"),
        ("{{mood}} contains app", "Y"), ("{{mood}} contains App", "N"),
        ("{{mood}} CONTAINS app", "Y"), ("{{mood}} startsWith hap", "Y"),
        ("{{mood}} startswith app", "N"), ("{{mood}} contains ''", "Y"),
        ("1 and 1", "Y"), ("1 and 0", "N"), ("0 or 1", "Y"), ("0 OR 0", "N"), ("not 0", "Y"),
        ("NOT 1", "N"), ("not not 1", "Y"), ("not 1 == 2", "Y"), ("1 or 0 and 0", "Y"),
        ("(1 or 0) and 0", "N"), ("not (1 and 0)", "Y"), ("((1))", "Y"), ("(1) == (1)", "Y"),
        ("1 == 1 and 2 > 1 or nothing", "Y"), ("'{{user}} x' == 'Player x'", "Y"),
    ],
)  # fmt: skip
def test_conditions(condition, result):
    assert chosen(condition) == result


def test_a_blank_condition_is_false():
    assert expand("{{if}}Y{{else}}N{{/if}}{{if }}Y{{/if}}").text == "N"
    assert expand("{{if}}Y{{/if}}").warnings == []


def test_a_word_alone_is_a_macro_if_there_is_one_and_text_otherwise():
    assert chosen("scenario", values={"scenario": "x"}) == "Y"
    assert chosen("scenario", values={}) == "N"
    assert chosen("not scenario and 1", values={}) == "Y"
    assert chosen("flag", stored={"flag": "off"}) == "N"
    assert chosen("whatever") == "Y"
    assert chosen("{{mood}} == user") == "N"


def test_asking_for_a_value_does_not_report_it_missing():
    assert expand("{{if scenario}}Y{{/if}}").warnings == []


def test_shorthand_reads_variables_in_a_condition():
    given = {"local": {"hp": 3, "o": {"x": "a"}}, "shared": {"on": "no"}}

    assert chosen(".hp", **given) == "Y"
    assert chosen("$on", **given) == "N"
    assert chosen(".none", **given) == "N"
    assert chosen(".hp > 2 and .o.x == a", **given) == "Y"


@pytest.mark.parametrize(
    "condition",
    ["{{one}} + 1", "1 && 1", "1 || 1", "!{{one}}", "1 = 1", "1 === 1", "a, b", "a - b", "a * 2",
     "1 ? 2", "a;b", "a:b", "[a]", "a | b", "50%", "a ^ b", "~a", r"a\b", "a/b", "a <> b"],
)  # fmt: skip
def test_what_the_grammar_lacks_keeps_the_block(condition):  # seed 4, if blocks
    text = f"{{{{if {condition}}}}}Y{{{{else}}}}N{{{{/if}}}}"
    expanded = expand(text, values=VALUES)

    if condition == "a <> b":  # two comparisons in a row are known words in a wrong order
        assert expanded.warnings == ["macro_parse_failed"]
    else:
        assert expanded.warnings == ["macro_condition_unsupported"]
    assert expanded.text == text


@pytest.mark.parametrize(
    "condition",
    ["({{one}}", "{{one}})", "'open", '"open', "1 2", "1 and", "and 1", "or", "not", "== 1", "1 ==",
     "()", "1 == 1 == 1", "1 < 2 < 3", "(1 == 1) == 1", "(1 and 1) == 1", "contains x",
     "{{one}}{{one}}", "x contains"],
)  # fmt: skip
def test_a_broken_condition_keeps_the_block(condition):  # seed 4, if blocks
    text = f"{{{{if {condition}}}}}Y{{{{else}}}}N{{{{/if}}}}"
    expanded = expand(text, values=VALUES)

    assert (expanded.text, expanded.warnings) == (text, ["macro_parse_failed"])


@pytest.mark.parametrize("condition", ["a > 1", "1 < ''", "{{mood}} >= 2", "1 <= 1e999"])
def test_only_numbers_can_be_greater(condition):  # seed 4, if blocks
    text = f"{{{{if {condition}}}}}Y{{{{.w=1}}}}{{{{/if}}}}"
    expanded = expand(text, values=VALUES)

    assert (expanded.text, expanded.warnings) == (text, ["macro_arg_type_invalid"])
    assert expanded.staged == []


def test_sides_and_branches_that_do_not_matter_are_never_evaluated():  # seed 4, if blocks
    text = (
        "{{if 0 and {{.a++}}}}{{.b=1}}{{else}}x{{/if}}{{if 1 or {{.c++}}}}y{{else}}{{.d=1}}{{/if}}"
    )

    expanded = expand(text)

    assert expanded.text == "xy"
    assert expanded.staged == []
    assert expanded.report.used_names == ("if",)


def test_a_write_in_a_condition_that_is_judged_happens():
    assert expand("{{if {{.n++}} == 1}}{{.n}}{{/if}}").text == "1"


def test_blocks_nest():
    text = "{{if 1}}A{{if 0}}B{{else}}C{{if 1}}D{{/if}}{{/if}}E{{else}}F{{/if}}"

    assert expand(text).text == "ACDE"


def test_keywords_ignore_case_and_space():
    assert expand("{{ IF 1 }}a{{ Else }}b{{ / If }}").text == "a"


def test_written_space_around_a_branch_is_trimmed():
    """SillyTavern trims the content of every block; the peer keeps it and loses to it."""
    assert expand("{{if 1}}\n    # A\n      b\n{{else}}\n  c\n{{/if}}").text == "# A\n  b"
    assert expand("{{#if 1}} a {{/if}}").text == " a "
    assert expand("{{if 1}}{{newline}}a{{space}}{{/if}}").text == "\na "


def test_an_inline_block_needs_no_end():
    assert expand("{{if 1::yes {{user}}}} {{if 0::no}}").text == "yes Player "


def test_an_unclosed_block_stays_raw_and_what_precedes_it_is_expanded():
    expanded = expand("{{user}} {{if 1}}a {{user}}")

    assert expanded.text == "Player {{if 1}}a {{user}}"
    assert expanded.warnings == ["macro_scoped_block_unclosed"]


def test_the_outer_of_two_blocks_is_the_unclosed_one():
    expanded = expand("{{if 1}}a{{if 1}}b{{/if}}c{{.x=1}}")

    assert expanded.text == "{{if 1}}a{{if 1}}b{{/if}}c{{.x=1}}"
    assert expanded.warnings == ["macro_scoped_block_unclosed"]
    assert expanded.staged == []


def test_an_unclosed_block_ends_with_the_argument_it_is_in():
    expanded = expand("{{setvar::a::{{if 1}}x}}{{user}}")

    assert expanded.text == "Player"
    assert expanded.staged == [("set", "branch", "a", "{{if 1}}x")]
    assert expanded.warnings == ["macro_scoped_block_unclosed"]


def test_a_stray_end_stays_and_the_rest_is_expanded():
    expanded = expand("{{user}}{{/if}}{{char}}")

    assert expanded.text == "Player{{/if}}Luna"
    assert expanded.warnings == ["macro_unmatched_closing_block"]


def test_a_stray_else_stays():
    assert expand("a{{else}}b").text == "a{{else}}b"
    assert expand("a{{else}}b").warnings == ["macro_unknown"]


def test_else_with_a_condition_keeps_the_block():
    text = "{{if 0}}a{{else if 1}}b{{/if}}"

    assert expand(text).text == text
    assert expand(text).warnings == ["macro_condition_unsupported"]


def test_a_block_in_an_argument_is_one_argument():
    assert expand("{{setvar::a::{{if 1}}x::y{{/if}}}}{{.a}}").text == "x::y"
