"""Regex scripts: when they run, what they put in, and what they cannot do."""

import pytest
from tests.loose_json import JsonObject

from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_rules import (
    NEVER_RUN,
    PatternSubstitution,
    RegexRule,
    RuleChannel,
    RuleContext,
    RulePlacement,
    SkippedRule,
    SkipReason,
    apply_rules,
    parse_rules,
)

AI = RulePlacement.AI_OUTPUT


def script(find: str, replace: str = "", **fields) -> JsonObject:
    return {
        "scriptName": "s",
        "findRegex": find,
        "replaceString": replace,
        "placement": [2],
        **fields,
    }


def run(scripts, text: str, **context):
    scripts = scripts if isinstance(scripts, list) else [scripts]
    context.setdefault("placement", AI)
    return apply_rules(parse_rules(scripts), text, RuleContext(**context), QuickJsEngine())


def names_of(text: str) -> str:
    """Stands for the macro engine: two names, everything else stays as it is."""
    return (
        text.replace("{{user}}", "A.B (x)").replace("{{char}}", "$1").replace("<USER>", "A.B (x)")
    )


@pytest.mark.parametrize(
    "find, replace, text, expected",
    [
        ("/a/", "x", "aa", "xa"),  # reference §7: no implicit g
        ("/a/g", "x", "aa", "xx"),
        ("a", "x", "aa", "xx"),  # reference §7: a bare pattern is global
        ("/a/y", "x", "aa", "xa"),
        ("/a/gy", "x", "aaba", "xxba"),
        ("/A/gi", "x", "aA", "xx"),
        ("/b/g", "[{{match}}]", "abc", "a[b]c"),
        ("/b/g", "[{{MATCH}}]", "abc", "a[b]c"),
        ("/b/g", "[$0]", "abc", "a[b]c"),
        ("/b/g", "[$&]", "abc", "a[$&]c"),  # SillyTavern knows $1, $<name> and {{match}} only
        ("/(a)(b)/", "$2$1", "ab", "ba"),
        ("/(?<x>a)/", "<$<x>>", "a", "<a>"),
        ("/(a)|(b)/g", "[$1|$2]", "ab", "[a|][|b]"),
        ("/a/", "[$7]", "a", "[]"),
        ("/a/", "[$<none>]", "a", "[]"),
        ("/a/", "[$99999999999999999999]", "a", "[]"),
        ("/(a)/", "$$1", "a", "$a"),  # SillyTavern: $$ is no escape
        ("/a/", "$$", "a", "$$"),
        ("/a/", "cost $ 5$", "a", "cost $ 5$"),
        ("/a/", "\\n", "a", "\\n"),
        ("/^/gm", "> ", "a\nb", "> a\n> b"),
        ("/<think>[\\s\\S]*?<\\/think>\\s*/g", "", "<think>x\ny</think>\nhi", "hi"),
        ("/[/]/g", "|", "a/b", "a|b"),
        ("/😀(.)/gu", "$1", "😀a😀b", "ab"),
        ("/./g", "x", "a😀", "xxx"),
        ("/(.)/g", "$1", "a😀b", "a😀b"),
        ("/(?:)/g", "-", "ab", "-a-b-"),
        ("/b*/g", "", "😀b", "😀"),
    ],
)
def test_match_is_replaced_as_in_sillytavern(find, replace, text, expected):
    assert run(script(find, replace), text).text == expected


def test_trim_strings_leave_the_inserted_groups_only():
    rule = script("/\\*(.+?)\\*/g", "*$1*", trimStrings=["*", "x"])

    assert run(rule, "x *axb* x").text == "x *ab* x"


def test_trim_strings_leave_the_whole_match_too():
    assert run(script("/a+b/", "<{{match}}>", trimStrings=["a"]), "aab").text == "<b>"


def test_macros_of_trim_strings_are_expanded():
    rule = script("/.+/", "$0", trimStrings=["{{user}}"])

    assert run(rule, "hi A.B (x)!", expand=names_of).text == "hi !"


def test_macros_of_the_replacement_are_expanded():
    assert run(script("/me/g", "{{user}}"), "me", expand=names_of).text == "A.B (x)"


def test_value_of_a_macro_brings_no_reference_along():
    assert run(script("/(a)/", "{{char}}"), "a", expand=names_of).text == "$1"


def test_long_page_without_macros_is_not_shown_to_the_macro_engine():
    """It has a limit on length, and pages in replacements are longer."""
    page = "<div class='card'>" * 5000

    assert run(script("/a/", page), "a", expand=lambda text: text[:100]).text == page


def test_marks_in_a_macros_value_are_text():
    value = "\ufdd0" + "7" * 5000 + "\ufdd1\ufdd07\ufdd1"

    assert run(script("/a/", "{{v}}"), "a", expand=lambda _: value).text.startswith("\ufdd0777")


def test_macros_in_the_text_stay_text():
    """Chat text never executes, not even through a group."""
    rule = script("/(.+)/", "<$1>")

    assert run(rule, "{{user}}", expand=names_of).text == "<{{user}}>"


def test_macros_of_a_script_without_a_match_are_not_expanded():
    expanded: list[str] = []

    def expand(text: str) -> str:
        expanded.append(text)
        return text

    run(script("/zzz/", "{{setvar::a::1}}"), "text", expand=expand)

    assert expanded == []


@pytest.mark.parametrize(
    "mode, text, expected",
    [
        (0, "{{user}}", "[{{user}}]"),
        (0, "A_B x", "A_B x"),
        (1, "A_B x", "[A_B x]"),
        (2, "A.B (x)", "[A.B (x)]"),
        (2, "A_B x", "A_B x"),
    ],
)
def test_macros_of_the_pattern_follow_its_mode(mode, text, expected):
    rule = script("/{{user}}/", "[$0]", substituteRegex=mode)

    assert run(rule, text, expand=names_of).text == expected


@pytest.mark.parametrize("find", ["/<USER>/", "/^{{user}}$/", "{{user}}"])
def test_escaped_value_is_found_literally(find):
    rule = script(find, "ok", substituteRegex=2)

    assert run(rule, "A.B (x)", expand=names_of).text == "ok"


def test_escaped_mode_keeps_the_patterns_own_signs():
    rule = script("/a{2}(?<user>b)?/", "[$<user>]", substituteRegex=2)

    assert run(rule, "aab", expand=lambda t: t.upper()).text == "[b]"


@pytest.mark.parametrize(
    "value", ["a.b", "a\nb", "[x]", "a/b", "a\\b", "1+1", "a|b", "(x)", "^$", "{2}", "a\tb\0"]
)
def test_every_sign_of_an_escaped_value_is_literal(value):
    rule = script("/^{{v}}$/", "ok", substituteRegex=2)

    outcome = run(rule, value, expand=lambda text: text.replace("{{v}}", value))

    assert outcome.text == "ok"


@pytest.mark.parametrize(
    "fields, runs_in",
    [
        ({}, {RuleChannel.PERSIST}),
        ({"runOnEdit": True}, {RuleChannel.PERSIST, RuleChannel.EDIT}),
        ({"promptOnly": True}, {RuleChannel.PROMPT}),
        ({"markdownOnly": True}, {RuleChannel.DISPLAY}),
        ({"promptOnly": True, "markdownOnly": True}, {RuleChannel.PROMPT, RuleChannel.DISPLAY}),
        ({"promptOnly": True, "runOnEdit": True}, {RuleChannel.PROMPT}),
    ],
)
def test_script_runs_in_its_channels(fields, runs_in):
    """Reference §7, channels."""
    ran = {
        channel
        for channel in RuleChannel
        if run(script("/a/", **fields), "a", channel=channel).applied
    }

    assert ran == runs_in


def test_script_of_another_channel_says_so():
    outcome = run(script("/a/", promptOnly=True), "a")

    assert outcome.skipped == (SkippedRule("s", SkipReason.CHANNEL_FILTERED),)


@pytest.mark.parametrize(
    "bounds, depths",
    [
        ({}, [0, 1, 2, 3]),
        ({"minDepth": None, "maxDepth": None}, [0, 1, 2, 3]),
        ({"minDepth": float("nan"), "maxDepth": float("nan")}, [0, 1, 2, 3]),
        ({"minDepth": -1, "maxDepth": -1}, [0, 1, 2, 3]),
        ({"minDepth": "", "maxDepth": "x"}, [0, 1, 2, 3]),
        ({"minDepth": 0, "maxDepth": 0}, [0]),
        ({"minDepth": 1}, [1, 2, 3]),
        ({"maxDepth": 1}, [0, 1]),
        ({"minDepth": 1, "maxDepth": 2}, [1, 2]),
        ({"minDepth": "2"}, [2, 3]),
    ],
)
def test_depth_counts_from_the_newest_and_is_unlimited_unless_bounded(bounds, depths):
    """Reference §7, depth; §17 (12)."""
    ran = [n for n in range(4) if run(script("/a/", **bounds), "a", depth=n).applied]

    assert ran == depths


def test_depth_filtered_script_says_so():
    outcome = run(script("/a/", minDepth=1), "a", depth=0)

    assert outcome.skipped == (SkippedRule("s", SkipReason.DEPTH_FILTERED),)


def test_text_without_a_depth_is_in_no_bounds():
    assert run(script("/a/", minDepth=5), "a").text == ""


@pytest.mark.parametrize("placement", [RulePlacement.USER_INPUT, AI, RulePlacement.WORLD_INFO])
def test_script_runs_on_its_placements(placement):
    outcome = run(script("/a/", placement=[placement.value]), "a", placement=placement)

    assert outcome.applied == ("s",)


def test_script_for_another_kind_of_text_is_not_mentioned():
    outcome = run([script("/a/", placement=[1]), script("/a/", disabled=True)], "a")

    assert (outcome.text, outcome.applied, outcome.skipped) == ("a", (), ())


def test_world_info_scripts_run_in_the_prompt():
    rule = script("/a/", "b", placement=[5], promptOnly=True)

    outcome = run(rule, "a", placement=RulePlacement.WORLD_INFO, channel=RuleChannel.PROMPT)

    assert outcome.text == "b"


@pytest.mark.parametrize("placement", sorted(NEVER_RUN))
def test_slash_commands_pages_and_thoughts_are_not_ours(placement):
    outcome = run(script("/a/", placement=[placement.value]), "a", placement=placement)

    assert outcome.skipped == (SkippedRule("s", SkipReason.RESERVED_NON_EXECUTABLE),)


def test_scripts_run_in_their_order_each_on_the_others_result():
    rules = [script("/a/", "b", scriptName="one"), script("/b/", "c", scriptName="two")]

    outcome = run(rules, "a")

    assert (outcome.text, outcome.applied) == ("c", ("one", "two"))


def test_script_that_matched_counts_as_applied_even_without_a_change():
    assert run(script("/a/", "a"), "a").applied == ("s",)


@pytest.mark.parametrize("find", ["/(/g", "(", "", "/a/x"])
def test_invalid_pattern_is_skipped_and_the_rest_continues(find):
    outcome = run([script(find), script("/a/", "b")], "a")

    assert outcome.text == "b"
    assert outcome.skipped == (SkippedRule("s", SkipReason.INVALID_REGEX),)


@pytest.mark.parametrize("find, text", [("/z/", "a"), ("/^$/", "")])
def test_script_that_finds_nothing_says_so(find, text):
    outcome = run(script(find, "x"), text)

    assert (outcome.text, outcome.skipped) == (text, (SkippedRule("s", SkipReason.NO_MATCH),))


def test_a_pattern_that_times_out_is_skipped_and_later_rules_run():
    text = "a" * 5000 + "b"

    outcome = run([script("/(a+)+$/", "x"), script("/b$/", "c")], text)

    assert outcome.text == "a" * 5000 + "c"
    assert outcome.skipped == (SkippedRule("s", SkipReason.TIMED_OUT),)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule",
    [
        script("/[^]+/", "$0" * 100_000),
        script("/./g", "$9" * 100_000),
        script("/./g", "$0", trimStrings=["b"] * 100_000),
        script("/./g", "x" * 100_000),
    ],
    ids=["whole text", "empty groups", "trim strings", "long"],
)
def test_replacement_that_explodes_is_limited(rule):
    assert len(run(rule, "a" * 20_000).text) <= 20_000 + 2_000_000


def test_text_cannot_grow_without_end():
    outcome = run([script("/[^]+/", "$0$0")] * 40, "a" * 1000)

    assert len(outcome.text) <= 2_000_000
    assert outcome.skipped[-1] == SkippedRule("s", SkipReason.TOO_LONG)


def test_script_is_read_with_all_its_fields():
    (rule,) = parse_rules(
        [
            {
                "id": "7",
                "scriptName": "n",
                "findRegex": "/a/",
                "replaceString": "b",
                "trimStrings": ["t"],
                "placement": [1, 2],
                "disabled": True,
                "markdownOnly": True,
                "promptOnly": True,
                "runOnEdit": True,
                "substituteRegex": 2,
                "minDepth": 1,
                "maxDepth": 4,
            }
        ]
    )

    assert rule == RegexRule(
        id="7",
        name="n",
        find="/a/",
        replace="b",
        trim_strings=("t",),
        placements=frozenset({RulePlacement.USER_INPUT, RulePlacement.AI_OUTPUT}),
        disabled=True,
        markdown_only=True,
        prompt_only=True,
        run_on_edit=True,
        substitution=PatternSubstitution.ESCAPED,
        min_depth=1,
        max_depth=4,
    )


def test_damaged_scripts_are_read_as_far_as_they_go():
    rules = parse_rules(
        [
            None,
            "text",
            {},
            {"placement": 2, "substituteRegex": True, "trimStrings": "x"},
            {"placement": ["2", 9, None, 4], "substituteRegex": 9, "trimStrings": [1, "", "y"]},
        ]
    )

    assert [rule.placements for rule in rules] == [
        frozenset(),
        frozenset({AI}),
        frozenset({AI, RulePlacement.SLASH}),
    ]
    assert [rule.substitution for rule in rules] == [
        PatternSubstitution.NONE,
        PatternSubstitution.RAW,
        PatternSubstitution.NONE,
    ]
    assert [rule.trim_strings for rule in rules] == [(), (), ("y",)]


@pytest.mark.parametrize("placement, serves_input", [([0], True), ([0, 2], False), ([0, 1], True)])
def test_old_display_placement_means_page_and_prompt(placement, serves_input):
    (rule,) = parse_rules([script("/a/", placement=placement)])

    assert rule.markdown_only
    assert rule.prompt_only
    assert (RulePlacement.USER_INPUT in rule.placements) is serves_input
