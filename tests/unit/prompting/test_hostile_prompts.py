"""Nothing in assets or history makes assembling fail, except a prompt that is too large."""

import time
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.unit.prompting.given import (
    AROUND,
    LUNA,
    book_of,
    constant,
    entry,
    given,
    preset_of,
    prompt_of,
)

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.prompting.assembly import assemble, parse_authors_note
from yarrow.prompting.errors import PromptTooLarge
from yarrow.prompting.preset import PromptIntent, parse_preset
from yarrow.prompting.preset.fields import ENTRY_FIELDS, USED_FIELDS
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


@drawn(preset=odd_presets, intent=st.sampled_from(PromptIntent))
@settings(max_examples=200, deadline=None)
def test_any_preset_gives_a_prompt_that_holds_the_message(
    preset: JsonObject, intent: PromptIntent
) -> None:
    with suppress(PromptTooLarge):
        assembly = assemble(given(preset, intent=intent, books=[book_of(constant("lore"))]))

        assert any("cur" in message.content for message in assembly.messages)


@drawn(value=anything)
def test_any_json_is_read_as_a_preset_and_as_metadata(value: JsonValue) -> None:
    content = value if isinstance(value, dict) else {"prompts": value, "prompt_order": value}

    assert parse_preset(content).context_tokens > 0
    assert parse_authors_note({"authorsNote": value, "note_prompt": value}).depth >= 0


def test_five_thousand_entries_inside_the_chat_do_not_hang() -> None:
    entries = [
        entry(f"e{at}", f"{at}", injection_position=1, injection_depth=at, injection_order=-at)
        for at in range(5000)
    ]
    preset = preset_of(entry("chatHistory"), *entries, openai_max_context=1_000_000)
    started = time.perf_counter()

    assert prompt_of(given(preset))[-1] == ("system", "0")
    assert time.perf_counter() - started < 5


def test_a_pattern_that_runs_away_costs_its_limit_not_the_prompt() -> None:
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
    said = [("user", "a" * 40 + "!"), ("assistant", "x")] * 20
    material = given(said=said)
    started = time.perf_counter()

    assembly = assemble(replace(material, assets=replace(material.assets, rules=rules)))

    assert len(assembly.messages) == 43
    assert "timed_out" in str(assembly.trace.regex.phases)
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("text", ["{{" * 20_000, "{{if " * 5_000, "<START>" * 20_000])
def test_texts_of_nothing_but_beginnings_do_not_hang(text: str) -> None:
    preset = preset_of(
        entry("main", text),
        entry("dialogueExamples"),
        entry("chatHistory"),
        openai_max_context=1_000_000,
    )
    started = time.perf_counter()

    assemble(given(preset, card=replace(LUNA, examples=text, system_prompt="{{original}}")))

    assert time.perf_counter() - started < 5


def test_a_counter_is_asked_once_for_each_text() -> None:
    asked: list[str] = []

    def count(text: str) -> int:
        asked.append(text)
        return len(text)

    assemble(replace(given(), runtime=replace(AROUND, count=count)))

    assert len(asked) == len(set(asked))
