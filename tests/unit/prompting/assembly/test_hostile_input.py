"""Nothing in assets or history makes assembling fail, except a prompt that is too large."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.examples import scale_examples
from tests.loose_json import JsonObject, JsonValue
from tests.unit.prompting.assembly.example import (
    LUNA,
    RUNTIME,
    assemble_messages,
    constant,
    entry,
    make_book,
    make_input,
    make_preset,
)

from yarrow.prompting.assembly import assemble, parse_authors_note
from yarrow.prompting.errors import PromptTooLarge
from yarrow.prompting.preset import PromptIntent, parse_preset
from yarrow.prompting.preset.fields import ENTRY_FIELDS, USED_FIELDS
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.regex_rules import parse_rules

NAMES = ("main", "jailbreak", "chatHistory", "worldInfoBefore", "dialogueExamples", "x")

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["{{char}}", "{0}", "{{if", "<START>", "\ud800", "100001", "nan", "1e999"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
odd_entries = st.fixed_dictionaries(
    {"identifier": st.sampled_from(NAMES) | anything},
    optional=dict.fromkeys(sorted(ENTRY_FIELDS - {"identifier"}), anything),
)
tracks = st.fixed_dictionaries(
    {
        "character_id": anything,
        "order": st.lists(
            st.fixed_dictionaries(
                {"identifier": st.sampled_from(NAMES)}, optional={"enabled": anything}
            ),
            max_size=6,
        )
        | anything,
    }
)
odd_presets = st.fixed_dictionaries(
    {"prompts": st.lists(odd_entries, max_size=6), "prompt_order": st.lists(tracks, max_size=2)},
    optional=dict.fromkeys(sorted(USED_FIELDS - {"prompts", "prompt_order"}), anything),
)


@given(preset=odd_presets, intent=st.sampled_from(PromptIntent))
@settings(max_examples=scale_examples(80))
def test_any_preset_gives_a_prompt_that_holds_the_message(
    preset: JsonObject, intent: PromptIntent
) -> None:
    with suppress(PromptTooLarge):
        result = assemble(make_input(preset, intent=intent, books=[make_book(constant("lore"))]))

        assert any("cur" in message.content for message in result.messages)


@given(value=anything)
def test_any_json_is_read_as_a_preset_and_as_metadata(value: JsonValue) -> None:
    content = value if isinstance(value, dict) else {"prompts": value, "prompt_order": value}

    assert parse_preset(content).context_tokens > 0
    assert parse_authors_note({"authorsNote": value, "note_prompt": value}).depth >= 0


def test_five_thousand_entries_may_be_inserted_into_the_chat() -> None:
    entries = [
        entry(f"e{at}", f"{at}", injection_position=1, injection_depth=at, injection_order=-at)
        for at in range(5000)
    ]
    preset = make_preset(entry("chatHistory"), *entries, openai_max_context=1_000_000)

    assert assemble_messages(make_input(preset))[-1] == ("system", "0")


def test_a_pattern_that_times_out_is_skipped() -> None:
    rules = parse_rules(
        [
            {
                "scriptName": "evil",
                "findRegex": "/(a+)+$/",
                "replaceString": "",
                "placement": [1],
                "promptOnly": True,
            }
        ]
    )
    talk = [("user", "a" * 40 + "!"), ("assistant", "x")] * 20
    inputs = make_input(talk=talk)

    engine = QuickJsEngine(call_limit_s=0.01, allowance_s=0.03)
    runtime = replace(RUNTIME, regexes=engine)
    result = assemble(replace(inputs, assets=replace(inputs.assets, rules=rules), runtime=runtime))

    assert len(result.messages) == 43
    assert "timed_out" in str(result.trace.regex.phases)


@pytest.mark.parametrize("text", ["{{" * 20_000, "{{if " * 5_000, "<START>" * 20_000])
def test_texts_of_nothing_but_opening_tags_are_assembled(text: str) -> None:
    preset = make_preset(
        entry("main", text),
        entry("dialogueExamples"),
        entry("chatHistory"),
        openai_max_context=1_000_000,
    )
    card = replace(LUNA, examples=text, system_prompt="{{original}}")

    assert assemble(make_input(preset, card=card)).messages


def test_a_counter_is_asked_once_for_each_text() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    assemble(replace(make_input(), runtime=replace(RUNTIME, count=count)))

    assert len(asked) == len(set(asked))
