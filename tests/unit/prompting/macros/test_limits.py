"""Limits, and texts that were written to break the engine."""

import pytest
from tests.unit.prompting.macros.example import expand

from yarrow.prompting.macros import MacroLimits

MEGABYTE = 1_000_000


def test_over_the_steps_macros_stay():
    expanded = expand("{{user}}{{user}}{{user}}", limits=MacroLimits(steps=2))

    assert expanded.text == "PlayerPlayer{{user}}"
    assert expanded.warnings == ["macro_step_limit_exceeded"]


def test_steps_are_counted_for_each_text():
    assert expand("{{user}}" * 256).warnings == []
    assert expand("{{user}}" * 257).warnings == ["macro_step_limit_exceeded"]


def test_over_the_depth_macros_stay():
    expanded = expand("{{reverse::{{reverse::{{user}}}}}}", limits=MacroLimits(depth=2))

    assert expanded.text == "{{user}}"
    assert expanded.warnings == ["macro_depth_limit_exceeded"]


def test_the_usual_depth_is_24():
    def nested(levels: int) -> str:
        return "{{if 1}}" * levels + "x" + "{{/if}}" * levels

    assert expand(nested(24)).text == "x"
    assert expand(nested(25)).text == "{{if 1}}x{{/if}}"


def test_a_text_that_grows_too_long_is_cut():
    expanded = expand("{{user}}!", values={"user": "x" * 20}, limits=MacroLimits(expanded_length=8))

    assert expanded.text == "x" * (len("{{user}}!") + 8)
    assert expanded.warnings == ["macro_expanded_length_limit_exceeded"]


def test_a_text_is_not_cut_for_the_length_its_author_gave_it():
    long = "x" * 100_000

    expanded = expand(f"{{{{user}}}} {long}{{{{if 1}}}}{long}{{{{/if}}}}")

    assert expanded.text == f"Player {long}{long}"
    assert expanded.warnings == []


def test_a_long_outlet_is_cut_where_the_text_around_it_has_grown_too_long():
    expanded = expand("{{outlet::o}}", outlets={"o": "{{user}}" + "x" * 100_000})

    assert len(expanded.text) == len("{{outlet::o}}") + 32_768
    assert expanded.warnings == ["macro_expanded_length_limit_exceeded"]


def test_text_without_macros_is_never_cut():
    assert expand("x" * 100_000).text == "x" * 100_000


def test_over_the_writes_a_write_stays_and_is_not_staged():
    text = "{{.a=1}}{{.b=2}}{{.a}}{{.b}}"

    expanded = expand(text, limits=MacroLimits(writes=1))

    assert expanded.text == "{{.b=2}}1"
    assert expanded.staged == [("set", "branch", "a", "1")]
    assert expanded.warnings == ["macro_mutation_limit_exceeded"]


@pytest.mark.parametrize("double", ["{{setvar::x::{{.x}}{{.x}}}}", "{{addvar::x::{{.x}}}}"])
def test_a_variable_cannot_outgrow_a_text(double):
    expanded = expand("{{.x=aaaaaaaaaa}}" + double * 50, limits=MacroLimits(expanded_length=1000))

    lengths = [len(mutation[3]) for mutation in expanded.staged]
    assert lengths == [10, 20, 40, 80, 160, 320, 640]
    assert set(expanded.warnings) == {"macro_expanded_length_limit_exceeded"}


def test_an_object_cannot_outgrow_a_text_either():
    text = "".join(f"{{{{.o.k{number}={'x' * 100}}}}}" for number in range(50))

    expanded = expand(text, limits=MacroLimits(expanded_length=1000))

    assert len(expanded.staged) == 9
    assert "macro_expanded_length_limit_exceeded" in expanded.warnings


@pytest.mark.parametrize("depth", [10_000, 10**9])
def test_no_limit_of_depth_is_deeper_than_the_stack(depth):
    text = "{{reverse::" * 5_000 + "x" + "}}" * 5_000

    assert expand(text, limits=MacroLimits(depth=depth, steps=10**9)).warnings[0] == (
        "macro_depth_limit_exceeded"
    )


HOSTILE = {
    "opening braces": "{{" * (MEGABYTE // 2),
    "nested braces": "{{" * 100_000 + "user" + "}}" * 100_000,
    "nested names": "{{a " * 100_000 + "}}" * 100_000,
    "nested writes": "{{setvar::a::" * 70_000 + "x" + "}}" * 70_000,
    "triple braces": "{{{" * 100_000 + "}}}" * 100_000,
    "single braces": "{{.a=" + "{ " * 200_000 + "} " * 200_000 + "}}",
    "macros": "{{user}}" * (MEGABYTE // 8),
    "unknown macros": "{{a}}" * (MEGABYTE // 5),
    "nested blocks": "{{if 1}}" * 60_000 + "x" + "{{/if}}" * 60_000,
    "unclosed blocks": "{{if 1}}" * (MEGABYTE // 8),
    "stray ends": "{{/if}}" * (MEGABYTE // 7),
    "stray elses": "{{else}}" * (MEGABYTE // 8),
    "open scopes": "{{setvar k}}" * 80_000 + "{{/setvar}}",
    "crossed scopes": "{{setvar k}}{{if 1}}" * 9_000 + "{{/setvar}}{{/if}}" * 9_000,
    "long name": "{{" + "n" * MEGABYTE + "}}",
    "long value": "{{.x=" + "y" * MEGABYTE + "}}",
    "long variable": "{{." + "y" * MEGABYTE + "=1}}",
    "brackets": "{{if " + "(" * MEGABYTE + "}}x{{/if}}",
    "negations": "{{if " + "not " * (MEGABYTE // 4) + "1}}x{{/if}}",
    "open quote": "{{if '" + "\\'" * (MEGABYTE // 2) + "}}x{{/if}}",
    "many dice": "{{roll::999999999d999999}}",
    "long path": "{{setvar::" + "a." * (MEGABYTE // 2) + "a::1}}",
    "open path": "{{getvar::a[" + " " * MEGABYTE + "}}",
    "many spaces": "{{space::999999999}}",
    "open format": "{{datetimeformat::" + "[" * MEGABYTE + "}}",
    "nested list": "{{.x=" + "[" * 30_000 + "}}{{addvar::x::1}}" + "{{nosuch}}",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_ends_with_a_warning(name):
    expanded = expand(HOSTILE[name])

    assert expanded.warnings
    assert len(expanded.text) <= len(HOSTILE[name]) + MacroLimits().expanded_length
    assert len(expanded.report.warnings) <= 1_000


def test_a_million_options_are_options():
    assert expand("{{random::" + "::".join(["a"] * MEGABYTE) + "}}").text == "a"


def test_outlets_that_multiply_run_out_of_steps():
    outlets = {str(n): f"{{{{outlet::{n + 1}}}}}" * 2 for n in range(20)} | {"20": "x"}

    expanded = expand("{{outlet::0}}", outlets=outlets)

    assert expanded.warnings == ["macro_step_limit_exceeded"]
