"""What SillyTavern has and presets use: chance, text, outlets."""

import pytest
from tests.unit.prompting.macros.example import expand, start_run


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a{{newline}}b{{newline::2}}c", "a\nb\n\nc"),
        ("a{{space}}b{{space::3}}c{{space::0}}d", "a b   cd"),
        ("a{{noop}}b", "ab"),
        ("a\n\n{{trim}}\r\n\nb", "ab"),
        ("a \n{{trim}}\n b", "a  b"),
        ("a{{newline}}{{trim}}{{newline}}b", "ab"),
        ("a\n{{noop}}{{trim}}{{noop}}\nb", "a\n\nb"),
        ("{{trim}}  x y  {{/trim}}", "x y"),
        ("{{reverse::I am Lana}}", "anaL ma I"),
        ("a{{banned::delve}}{{banned \"x\"}}b", "ab"),
        ("{{hasExtension::memory}}", "false"),
    ],
)  # fmt: skip
def test_text_macros(text, result):
    assert (expand(text).text, expand(text).warnings) == (result, [])


@pytest.mark.parametrize("text", ["{{newline::x}}", "{{space::-1}}", "{{space::1.5}}"])
def test_a_count_that_is_none_keeps_the_macro(text):
    assert (expand(text).text, expand(text).warnings) == (text, ["macro_arg_type_invalid"])


@pytest.mark.parametrize(
    ("formula", "least", "most"),
    [("1d20", 1, 20), ("d6", 1, 6), ("6", 1, 6), ("3D6+4", 7, 22), ("2d4-5", -3, 3), ("1d1", 1, 1)],
)
def test_dice_stay_within_their_faces(formula, least, most):
    rolls = {int(expand(f"{{{{roll::{formula}}}}}", seed=str(n)).text) for n in range(200)}

    assert least <= min(rolls)
    assert max(rolls) <= most
    assert len(rolls) > (most - least) // 2


@pytest.mark.parametrize("formula", ["x", "0", "0d6", "1d0", "2x6", "1d6+", "1d6 + 1", "-1d6", ""])
def test_an_invalid_roll_is_empty(formula):
    expanded = expand(f"[{{{{roll::{formula}}}}}]")

    assert (expanded.text, expanded.warnings) == ("[]", ["macro_arg_type_invalid"])


@pytest.mark.parametrize(
    "text",
    ["{{random::a::b::c}}", "{{random a,b,c}}", "{{random:a,b,c}}", "{{random:a::b::c}}",
     "{{random:: a , b , c }}", "{{random::{{.list}}}}"],
)  # fmt: skip
def test_random_takes_one_of_its_options(text):
    found = {expand(text, seed=str(n), local={"list": "a,b,c"}).text for n in range(60)}

    assert found == {"a", "b", "c"}


def test_a_comma_can_be_part_of_an_option():
    found = {expand(r"{{random a\,b,c}}", seed=str(n)).text for n in range(40)}

    assert found == {"a,b", "c"}


def test_no_options_give_nothing():
    assert expand("{{random}}{{random::}}{{pick}}").text == ""


def test_dice_depend_on_seed_place_and_position():
    texts = "".join("{{random::a::b::c::d}}{{roll::1d20}} " for _ in range(20))
    run, again = start_run(seed="s"), start_run(seed="s")

    first = run.expand(texts, place="here")

    assert again.expand(texts, place="here") == first
    assert again.expand(texts, place="there") != first
    assert start_run(seed="t").expand(texts, place="here") != first
    assert len(set(first.split())) > 5


def test_pick_depends_on_chat_text_and_position_alone():
    text = "".join("{{pick::a::b::c::d}}" for _ in range(20))

    picked = start_run(chat_id="c", seed="1").expand(text, place="here")

    assert start_run(chat_id="c", seed="2").expand(text, place="there") == picked
    assert start_run(chat_id="d").expand(text, place="here") != picked
    assert start_run(chat_id="c").expand(text + "!", place="here") != picked + "!"
    assert len(set(picked)) > 1


def test_outlets_are_expanded_where_they_stand():
    expanded = expand(
        "{{.x=1}}[{{outlet::lore}}]{{.y}}", outlets={"lore": "{{user}} {{.x}}{{.y=2}}"}
    )

    assert expanded.text == "[Player 1]2"


def test_an_outlet_without_lore_is_empty():
    assert expand("[{{outlet::none}}]").text == "[]"


def test_outlets_that_contain_each_other_stop():
    outlets = {"a": "A{{outlet::b}}", "b": "B{{outlet::a}}{{user}}"}

    expanded = expand("{{outlet::a}}", outlets=outlets)

    assert expanded.text == "AB{{outlet::a}}Player"
    assert expanded.warnings == ["macro_cycle_detected"]


def test_an_outlet_may_are_twice():
    assert expand("{{outlet::a}}{{outlet::a}}", outlets={"a": "x"}).text == "xx"
