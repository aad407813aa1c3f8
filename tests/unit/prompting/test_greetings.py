"""Greetings are the card's words: their macros run, before all others."""

from dataclasses import replace

import msgspec
from tests.unit.prompting.given import PLAIN, Said, entry, given, history_of, preset_of

from yarrow.prompting.assembly import (
    AssemblyInput,
    AssemblyResult,
    ChatFacts,
    assemble,
    preview_text,
)
from yarrow.prompting.policy import PromptPolicy, TurnRange, VisibilityPolicy
from yarrow.prompting.regex_rules import parse_rules

GREETING = "Hi <USER>, I am <BOT>.{{newline}}x {{setvar::hp::100}}"
READING = preset_of(entry("main", "hp={{getvar::hp}}"), entry("chatHistory"))


def greeted(greeting: str, *said: tuple[str, str], preset=READING, **fields) -> AssemblyInput:
    """A turn of a chat that began with a greeting."""
    talk: Said = [("assistant", greeting), *said]
    first, *others = history_of(talk)
    authored = msgspec.structs.replace(first, is_authored=True)
    return replace(given(preset, said=[], **fields), history=[authored, *others])


def text_of(assembly: AssemblyResult) -> list[str]:
    return [message.content for message in assembly.messages]


def test_a_greetings_macros_run():
    assembly = assemble(greeted(GREETING))

    assert text_of(assembly)[1:] == ["Hi Player, I am Luna.\nx ", "cur"]


def test_what_a_greeting_writes_the_whole_prompt_reads():
    """SillyTavern runs it when the chat begins, before any prompt."""
    assembly = assemble(greeted(GREETING))

    assert text_of(assembly)[0] == "hp=100"
    assert [(m.key, m.value) for m in assembly.staged_mutations] == [("hp", "100")]


def test_once_the_chat_has_gone_on_a_greeting_writes_nothing():
    material = greeted(GREETING + "{{getvar::hp}}", ("user", "hit"), ("assistant", "ouch"))
    stored = replace(material.variables, local={"hp": "7"}, stored={"hp": "7"})
    assembly = assemble(replace(material, variables=stored))

    assert text_of(assembly)[:2] == ["hp=7", "Hi Player, I am Luna.\nx 100"]
    assert assembly.staged_mutations == ()


def test_an_answer_that_is_hidden_is_an_answer():
    material = greeted(GREETING)
    facts = replace(material.session, chat=ChatFacts(3))

    assert assemble(replace(material, session=facts)).staged_mutations == ()


def test_a_greetings_dice_fall_alike_in_every_prompt_of_a_chat():
    material = greeted("{{roll::1d1000000}} {{random::a::b::c::d::e}}")
    later = replace(material, runtime=replace(material.runtime, seed="later"))

    assert text_of(assemble(material)) == text_of(assemble(later))


def test_what_people_and_models_say_is_not_expanded():
    said = [("user", "{{user}}{{setvar::a::1}}"), ("assistant", "<BOT>")]
    assembly = assemble(greeted("Hi.", *said))

    assert text_of(assembly)[2:4] == ["{{user}}{{setvar::a::1}}", "<BOT>"]
    assert assembly.staged_mutations == ()


def test_a_greeting_of_nothing_but_writes_is_no_message():
    assert text_of(assemble(greeted("{{setvar::hp::3}}"))) == ["hp=3", "cur"]


def test_a_hidden_greeting_has_run_all_the_same():
    hidden = VisibilityPolicy(hidden_turn_ranges=(TurnRange(0, 0),))
    policy = PromptPolicy(visibility=hidden)

    assert text_of(assemble(replace(greeted(GREETING), policy=policy))) == ["hp=100", "cur"]


def test_rules_read_what_a_greeting_has_written():
    scripts = [
        {
            "scriptName": "hp",
            "findRegex": "/cur/",
            "replaceString": "{{getvar::hp}}",
            "placement": [1],
        }
    ]
    material = greeted(GREETING)
    ruled = replace(material, assets=replace(material.assets, rules=parse_rules(scripts)))

    assert text_of(assemble(ruled))[-1] == "100"


def test_a_preview_reads_what_a_greeting_has_written_and_tells_only_of_its_text():
    made = preview_text(greeted(GREETING, preset=PLAIN), "{{getvar::hp}}")

    assert made.text == "100"
    assert made.macro.used_names == ("getvar",)
    assert made.macro.staged_mutations == ()
