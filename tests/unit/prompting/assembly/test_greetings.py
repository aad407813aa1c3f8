"""Greetings are the card's words: their macros run, before all others."""

from msgspec.structs import replace
from tests.loose_json import JsonObject
from tests.unit.prompting.assembly.example import (
    PLAIN,
    entry,
    make_history,
    make_input,
    make_preset,
)

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
READING = make_preset(entry("main", "hp={{getvar::hp}}"), entry("chatHistory"))


def greeting_input(
    greeting: str, *talk: tuple[str, str], preset=READING, **fields
) -> AssemblyInput:
    """A turn of a chat that began with a greeting."""
    first, *others = make_history([("assistant", greeting), *talk])
    authored = replace(first, is_authored=True)
    return replace(make_input(preset, talk=[], **fields), history=[authored, *others])


def text_of(result: AssemblyResult) -> list[str]:
    return [message.content for message in result.messages]


def test_a_greetings_macros_run():
    result = assemble(greeting_input(GREETING))

    assert text_of(result)[1:] == ["Hi Player, I am Luna.\nx ", "cur"]


def test_what_a_greeting_writes_the_whole_prompt_reads():
    """SillyTavern runs it when the chat begins, before any prompt."""
    result = assemble(greeting_input(GREETING))

    assert text_of(result)[0] == "hp=100"
    assert [(m.key, m.value) for m in result.staged_mutations] == [("hp", "100")]


def test_once_the_chat_has_gone_on_a_greeting_writes_nothing():
    inputs = greeting_input(GREETING + "{{getvar::hp}}", ("user", "hit"), ("assistant", "ouch"))
    stored = replace(inputs.variables, local={"hp": "7"}, stored={"hp": "7"})
    result = assemble(replace(inputs, variables=stored))

    assert text_of(result)[:2] == ["hp=7", "Hi Player, I am Luna.\nx 100"]
    assert result.staged_mutations == ()


def test_an_answer_that_is_hidden_is_an_answer():
    inputs = greeting_input(GREETING)
    facts = replace(inputs.session, chat=ChatFacts(3))

    assert assemble(replace(inputs, session=facts)).staged_mutations == ()


def test_a_greetings_dice_fall_alike_in_every_prompt_of_a_chat():
    inputs = greeting_input("{{roll::1d1000000}} {{random::a::b::c::d::e}}")
    later = replace(inputs, runtime=replace(inputs.runtime, seed="later"))

    assert text_of(assemble(inputs)) == text_of(assemble(later))


def test_what_people_and_models_say_is_not_expanded():
    talk = [("user", "{{user}}{{setvar::a::1}}"), ("assistant", "<BOT>")]
    result = assemble(greeting_input("Hi.", *talk))

    assert text_of(result)[2:4] == ["{{user}}{{setvar::a::1}}", "<BOT>"]
    assert result.staged_mutations == ()


def test_a_greeting_of_nothing_but_writes_is_no_message():
    assert text_of(assemble(greeting_input("{{setvar::hp::3}}"))) == ["hp=3", "cur"]


def test_a_hidden_greeting_has_run_all_the_same():
    hidden = VisibilityPolicy(hidden_turn_ranges=(TurnRange(0, 0),))
    policy = PromptPolicy(visibility=hidden)

    assert text_of(assemble(replace(greeting_input(GREETING), policy=policy))) == ["hp=100", "cur"]


def test_rules_read_what_a_greeting_has_written():
    scripts: list[JsonObject] = [
        {
            "scriptName": "hp",
            "findRegex": "/cur/",
            "replaceString": "{{getvar::hp}}",
            "placement": [1],
        }
    ]
    inputs = greeting_input(GREETING)
    ruled = replace(inputs, assets=replace(inputs.assets, rules=parse_rules(scripts)))

    assert text_of(assemble(ruled))[-1] == "100"


def test_a_preview_reads_what_a_greeting_has_written_and_tells_only_of_its_text():
    made = preview_text(greeting_input(GREETING, preset=PLAIN), "{{getvar::hp}}")

    assert made.text == "100"
    assert made.macro.used_names == ("getvar",)
    assert made.macro.staged_mutations == ()
