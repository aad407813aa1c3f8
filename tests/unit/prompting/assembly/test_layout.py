"""Where the texts of a prompt stand."""

import pytest
from msgspec.structs import replace
from tests.loose_json import JsonObject
from tests.unit.prompting.assembly.example import (
    LUNA,
    PLAIN,
    TALK,
    assemble_messages,
    constant,
    entry,
    make_book,
    make_input,
    make_preset,
)

from yarrow.prompting.assembly import (
    AssemblyInput,
    AuthorsNote,
    NotePosition,
    assemble,
    parse_authors_note,
)
from yarrow.prompting.model import CharacterCard, DepthPrompt, Persona, PromptMode, PromptRole
from yarrow.prompting.preset import PromptIntent

CHAT = [("user", "u0"), ("assistant", "a0"), ("user", "cur")]


def with_note(inputs: AssemblyInput, note: AuthorsNote) -> AssemblyInput:
    return replace(inputs, session=replace(inputs.session, note=note))


def with_memory(inputs: AssemblyInput, mode: PromptMode) -> AssemblyInput:
    session = replace(inputs.session, memory_summary="MEMORY {{char}}")
    return replace(inputs, session=session, mode=mode)


class TestCardOverrides:
    """SillyTavern: a card replaces `main` and `jailbreak`."""

    def test_the_cards_system_prompt_replaces_main(self) -> None:
        card = replace(LUNA, system_prompt="CARD [{{original}}] {{char}}")

        assert assemble_messages(make_input(card=card))[0] == ("system", "CARD [MAIN] Luna")

    def test_only_the_first_original_is_filled_in(self) -> None:
        card = replace(LUNA, system_prompt="{{original}}-{{original}}")

        assert assemble_messages(make_input(card=card))[0] == ("system", "MAIN-")

    def test_macros_of_the_original_run_in_its_place(self) -> None:
        preset = make_preset(entry("main", "{{setvar::x::1}}I am {{char}}"), entry("chatHistory"))
        card = replace(LUNA, system_prompt="[{{getvar::x}}] {{original}} [{{getvar::x}}]")

        assert assemble_messages(make_input(preset, card=card))[0] == ("system", "[] I am Luna [1]")

    def test_the_cards_last_word_replaces_the_jailbreak(self) -> None:
        card = replace(LUNA, post_history="LAST {{original}}")

        assert assemble_messages(make_input(card=card))[-1] == ("system", "LAST PHI")

    def test_an_entry_may_forbid_it(self) -> None:
        preset = make_preset(entry("main", "MAIN", forbid_overrides=True), entry("chatHistory"))
        card = replace(LUNA, system_prompt="CARD")

        assert assemble_messages(make_input(preset, card=card))[0] == ("system", "MAIN")

    def test_without_such_entries_the_texts_follow_the_opening_and_the_end(self) -> None:
        preset = make_preset(entry("style", "STYLE"), entry("chatHistory"), entry("x", "X"))
        card = replace(LUNA, system_prompt="CARD", post_history="LAST")

        assert assemble_messages(make_input(preset, card=card)) == [
            ("system", "STYLE\n\nCARD"),
            *CHAT,
            ("system", "X\n\nLAST"),
        ]

    def test_an_entry_that_is_switched_off_stays_off(self) -> None:
        preset = make_preset(entry("main", "MAIN"), entry("chatHistory"))
        preset["prompt_order"][0]["order"][0]["enabled"] = False
        card = replace(LUNA, system_prompt="CARD")

        assert assemble_messages(make_input(preset, card=card)) == CHAT


class TestInChat:
    def test_depth_counts_from_the_end_and_too_deep_is_the_top(self) -> None:
        preset = make_preset(
            entry("chatHistory"),
            entry("a", "D0", injection_position=1, injection_depth=0),
            entry("b", "D1", injection_position=1, injection_depth=1),
            entry("c", "TOP", injection_position=1, injection_depth=10**9),
        )

        assert assemble_messages(make_input(preset)) == [
            ("system", "TOP"),
            ("user", "u0"),
            ("assistant", "a0"),
            ("system", "D1"),
            ("user", "cur"),
            ("system", "D0"),
        ]

    def test_a_negative_depth_is_the_end(self) -> None:
        preset = make_preset(
            entry("chatHistory"), entry("a", "A", injection_position=1, injection_depth=-5)
        )

        assert assemble_messages(make_input(preset))[-1] == ("system", "A")

    def test_one_depth_goes_by_order_then_role_then_track(self) -> None:
        at_end = {"injection_position": 1, "injection_depth": 0}
        preset = make_preset(
            entry("chatHistory"),
            entry("s2", "S2", role="system", **at_end),
            entry("s1", "S1", role="system", **at_end),
            entry("late", "U-LATE", role="user", injection_order=200, **at_end),
            entry("as", "A", role="assistant", **at_end),
            entry("first", "S-FIRST", role="system", injection_order=1, **at_end),
        )

        assert assemble_messages(make_input(preset))[3:] == [
            ("system", "S-FIRST"),
            ("assistant", "A"),
            ("system", "S2\n\nS1"),
            ("user", "U-LATE"),
        ]

    def test_lore_and_the_cards_note_are_after_entries_of_their_depth(self) -> None:
        preset = make_preset(
            entry("chatHistory"), entry("a", "ENTRY", injection_position=1, injection_depth=1)
        )
        card = replace(LUNA, depth_prompt=DepthPrompt("NOTE {{char}}", depth=1))
        book = make_book(
            constant("two", position=4, depth=1, order=2),
            constant("one", position=4, depth=1, order=1),
            constant("talk", position=4, depth=1, role=1),
        )

        assert assemble_messages(make_input(preset, card=card, books=[book]))[2:4] == [
            ("user", "talk"),
            ("system", "ENTRY\n\none\ntwo\n\nNOTE Luna"),
        ]

    def test_turns_of_the_history_stay_apart(self) -> None:
        talk = [("assistant", "greeting"), ("user", "u"), ("assistant", "a")]
        history = make_input(talk=talk).history
        apart = replace(history[2], turn_ids=("floor_9",))
        inputs = replace(make_input(talk=talk), history=[*history, apart])

        assert [text for _role, text in assemble_messages(inputs)[1:-1]] == [
            "greeting",
            "u",
            "a",
            "a",
            "cur",
        ]

    def test_ids_of_in_chat_entries_are_reported(self) -> None:
        preset = make_preset(entry("chatHistory"), entry("hint", "H", injection_position=1))

        assert assemble(make_input(preset)).diagnostics.in_chat_inserted_entry_ids == ("hint",)


class TestMarkers:
    def test_blank_markers_give_no_message(self) -> None:
        preset = make_preset(
            entry("charDescription"),
            entry("dialogueExamples"),
            entry("worldInfoBefore"),
            entry("blank", " \n"),
            entry("chatHistory"),
        )

        assert assemble_messages(make_input(preset)) == CHAT

    def test_without_a_history_entry_the_history_is_at_the_end(self) -> None:
        assert assemble_messages(make_input(make_preset(entry("a", "A")))) == [
            ("system", "A"),
            *CHAT,
        ]

    def test_a_history_that_is_switched_off_leaves_the_message(self) -> None:
        preset = make_preset(entry("a", "A"), entry("chatHistory"), entry("b", "B"))
        preset["prompt_order"][0]["order"][1]["enabled"] = False

        assert assemble_messages(make_input(preset)) == [
            ("system", "A"),
            ("user", "cur"),
            ("system", "B"),
        ]

    def test_formats_of_personality_and_scenario_frame_the_cards_texts(self) -> None:
        preset = make_preset(
            entry("charPersonality"),
            entry("scenario"),
            entry("chatHistory"),
            personality_format="[{{char}} is {{personality}}]",
            scenario_format="{{scenario}}",
        )
        card = replace(LUNA, personality="shy of {{user}}", scenario="a camp")

        assert assemble_messages(make_input(preset, card=card))[0] == (
            "system",
            "[Luna is shy of Player]\n\na camp",
        )

    def test_separators_are_before_the_history_and_each_example(self) -> None:
        preset = make_preset(
            entry("dialogueExamples"),
            entry("chatHistory"),
            new_chat_prompt="[New chat]",
            new_example_chat_prompt="[Example]",
        )
        card = replace(LUNA, examples="<START>\n{{user}}: hi\n<start>\n{{char}}: ho")

        assert assemble_messages(make_input(preset, card=card))[0] == (
            "system",
            "[Example]\nPlayer: hi\n[Example]\nLuna: ho\n\n[New chat]",
        )


class TestLore:
    def test_the_format_frames_the_joined_block_once(self) -> None:
        preset = make_preset(
            entry("worldInfoBefore"), entry("chatHistory"), wi_format="[Lore: {0}] {0}"
        )
        book = make_book(constant("one", order=1), constant("{0}two", order=2))

        assert assemble_messages(make_input(preset, books=[book]))[0] == (
            "system",
            "[Lore: one\n{0}two] one\n{0}two",
        )

    def test_lore_is_around_the_examples(self) -> None:
        preset = make_preset(entry("dialogueExamples"), entry("chatHistory"))
        card = replace(LUNA, examples="<START>\nex")
        book = make_book(constant("TOP", position=5), constant("BOTTOM", position=6))

        assert assemble_messages(make_input(preset, card=card, books=[book]))[0] == (
            "system",
            "TOP\n<START>\nex\nBOTTOM",
        )

    def test_lore_is_around_the_authors_note(self) -> None:
        book = make_book(constant("TOP", position=2), constant("BOTTOM", position=3))
        inputs = with_note(make_input(books=[book]), AuthorsNote("NOTE {{char}}", depth=1))

        assert assemble_messages(inputs)[3] == ("system", "TOP\nNOTE Luna\nBOTTOM")

    def test_without_a_note_such_lore_is_four_messages_deep(self) -> None:
        talk = [*TALK, *TALK]
        book = make_book(constant("TOP", position=2))

        assert assemble_messages(make_input(talk=talk, books=[book]))[1:4] == [
            ("user", "u0"),
            ("system", "TOP"),
            ("assistant", "a0"),
        ]

    def test_outlets_are_only_where_they_are_asked_for(self) -> None:
        preset = make_preset(entry("main", "A {{outlet::x}} B"), entry("chatHistory"))
        book = make_book(
            constant("hi {{char}}", position=7, outletName="x"),
            constant("lost", position=7, outletName="y"),
        )

        assert assemble_messages(make_input(preset, books=[book])) == [
            ("system", "A hi Luna B"),
            *CHAT,
        ]

    def test_lore_without_a_place_in_the_preset_is_reported(self) -> None:
        result = assemble(make_input(PLAIN, books=[make_book(constant("lost"))]))

        assert [one.detail for one in result.trace.source_selection.excluded_sources] == [
            "the prompt has no place for lore at before"
        ]


class TestAuthorsNote:
    @pytest.mark.parametrize(
        ("place", "expected"),
        [(NotePosition.BEFORE_MAIN, "NOTE\n\nMAIN"), (NotePosition.AFTER_MAIN, "MAIN\n\nNOTE")],
    )
    def test_a_note_may_are_beside_main(self, place: NotePosition, expected: str) -> None:
        inputs = with_note(make_input(), AuthorsNote("NOTE", position=place))

        assert assemble_messages(inputs)[0] == ("system", expected)

    def test_a_note_with_an_interval_comes_with_every_nth_message_of_the_user(self) -> None:
        note = AuthorsNote("NOTE", interval=3)
        texts = [
            str(assemble_messages(with_note(make_input(talk=list(TALK) * count), note)))
            for count in range(4)
        ]

        assert ["NOTE" in text for text in texts] == [False, False, True, False]

    def test_sillytaverns_metadata_is_read(self) -> None:
        metadata: JsonObject = {
            "note_prompt": "N",
            "note_depth": 2,
            "note_position": 1,
            "note_role": 1,
        }

        assert parse_authors_note(metadata) == AuthorsNote("N", depth=2, role=PromptRole.USER)
        assert parse_authors_note({"authorsNote": "plain"}) == AuthorsNote("plain")
        assert parse_authors_note({"authorsNote": {"text": "o", "depth": "x"}}) == AuthorsNote("o")
        assert parse_authors_note({}) == AuthorsNote()


class TestNames:
    PRESET = make_preset(
        entry("chatHistory"),
        entry("hint", "H", role="user", injection_position=1, injection_depth=0),
        names_behavior=1,
    )

    def test_names_are_not_doubled_and_are_before_turns_only(self) -> None:
        talk = [("user", "Player: u0"), ("assistant", "a0")]

        assert assemble_messages(make_input(self.PRESET, talk=talk)) == [
            ("user", "Player: u0"),
            ("assistant", "Luna: a0"),
            ("user", "Player: cur\n\nH"),
        ]

    def test_without_a_name_there_is_no_prefix(self) -> None:
        inputs = make_input(self.PRESET, talk=[("assistant", "a0")], card=None)

        assert assemble_messages(inputs)[0] == ("assistant", "a0")


class TestIntents:
    def test_continue_has_a_nudge_after_the_history_and_a_prefill_at_the_end(self) -> None:
        # seed 4: both may be applied, with the strategy assistant_message_fallback
        preset = {**PLAIN, "assistant_prefill": "Luna says:"}
        result = assemble(make_input(preset, intent=PromptIntent.CONTINUE))

        nudge = "[Continue your last message without repeating its original content.]"
        assert [(m.role.value, m.content) for m in result.messages[1:]] == [
            *CHAT,
            ("system", f"{nudge}\n\nPHI"),
            ("assistant", "Luna says:"),
        ]
        told = result.diagnostics
        assert (told.continue_nudge_applied, told.continue_nudge_text) == (True, nudge)
        assert told.assistant_prefill_applied
        assert told.assistant_prefill_strategy.value == "assistant_message_fallback"

    def test_the_nudge_may_quote_the_answer_that_continues(self) -> None:
        preset = {**PLAIN, "continue_nudge_prompt": "Go on from: {{lastChatMessage}}"}
        talk = [("user", "u0"), ("assistant", "once {{char}}")]
        result = assemble(make_input(preset, talk=talk, intent=PromptIntent.CONTINUE))

        assert result.diagnostics.continue_nudge_text == "Go on from: once {{char}}"

    def test_a_preset_may_blank_the_nudge(self) -> None:
        preset = {**PLAIN, "continue_nudge_prompt": ""}
        told = assemble(make_input(preset, intent=PromptIntent.CONTINUE)).diagnostics

        assert (told.continue_nudge_applied, told.continue_nudge_text) == (False, None)

    def test_other_intents_have_neither(self) -> None:
        preset = {**PLAIN, "assistant_prefill": "Sure:"}
        told = assemble(make_input(preset)).diagnostics

        assert not told.continue_nudge_applied
        assert not told.assistant_prefill_applied
        assert told.assistant_prefill_strategy.value == "none"

    def test_impersonation_has_the_last_word_if_the_preset_has_one(self) -> None:
        preset = {
            **PLAIN,
            "impersonation_prompt": "Write as {{user}}.",
            "assistant_impersonation": "{{user}}:",
        }

        assert assemble_messages(make_input(preset, intent=PromptIntent.IMPERSONATE))[-2:] == [
            ("system", "PHI\n\nWrite as Player."),
            ("assistant", "Player:"),
        ]
        assert assemble_messages(make_input(PLAIN, intent=PromptIntent.IMPERSONATE))[-1] == (
            "system",
            "PHI",
        )

    def test_entries_for_another_intent_are_left_out_and_reported(self) -> None:
        preset = make_preset(
            entry("quietPrompt", "Q"),
            entry("x", "X", injection_trigger=["swipe", "continue"]),
            entry("chatHistory"),
        )
        result = assemble(make_input(preset))

        assert result.diagnostics.trigger_filtered_entry_ids == ("quietPrompt", "x")
        assert assemble_messages(make_input(preset, intent=PromptIntent.QUIET))[0] == (
            "system",
            "Q",
        )
        assert assemble_messages(make_input(preset, intent=PromptIntent.SWIPE))[0] == (
            "system",
            "X",
        )


class TestMemory:
    PRESET = make_preset(entry("main", "MAIN"), entry("x", "X", role="user"), entry("chatHistory"))

    def test_it_follows_the_opening_in_the_strict_mode(self) -> None:
        prompt = assemble_messages(with_memory(make_input(self.PRESET), PromptMode.COMPAT_STRICT))

        assert prompt[0] == ("system", "MAIN\n\nMEMORY {{char}}")

    @pytest.mark.parametrize("mode", [PromptMode.COMPAT_PLUS, PromptMode.NATIVE])
    def test_it_is_before_the_history_in_the_others(self, mode: PromptMode) -> None:
        result = assemble(with_memory(make_input(self.PRESET), mode))

        assert result.messages[2].content == "MEMORY {{char}}"
        assert result.diagnostics.memory_summary_injected

    @pytest.mark.parametrize("mode", PromptMode)
    def test_the_separator_of_a_new_chat_is_after_it(self, mode: PromptMode) -> None:
        preset = make_preset(entry("a", "A"), entry("chatHistory"), new_chat_prompt="[New chat]")
        card = replace(LUNA, system_prompt="CARD")
        prompt = assemble_messages(with_memory(make_input(preset, card=card), mode))

        assert prompt[0][1].endswith("\n\n[New chat]")
        assert {"CARD", "MEMORY {{char}}"} < set(prompt[0][1].split("\n\n"))

    def test_no_memory_is_not_called_injected(self) -> None:
        assert not assemble(make_input(self.PRESET)).diagnostics.memory_summary_injected


class TestFallback:
    CARD = CharacterCard("Luna", description="D {{char}}", personality="P")

    def test_without_a_preset_the_cast_is_one_system_message(self) -> None:
        inputs = make_input(None, card=self.CARD, persona=Persona("Player", "WHO"))
        result = assemble(inputs)

        assert assemble_messages(inputs) == [("system", "D Luna\n\nP\n\nWHO"), *CHAT]
        assert result.diagnostics.mode.value == "fallback"
        assert not result.diagnostics.preset_used

    def test_lore_is_around_it(self) -> None:
        book = make_book(constant("BEFORE"), constant("AFTER", position=1))

        assert assemble_messages(make_input(None, card=self.CARD, books=[book]))[0] == (
            "system",
            "BEFORE\n\nD Luna\n\nP\n\nAFTER",
        )

    def test_with_nobody_there_is_a_general_sentence(self) -> None:
        prompt = assemble_messages(make_input(None, card=None, persona=None))

        assert [role for role, _text in prompt] == ["system", "user", "assistant", "user"]
        assert "assistant" in prompt[0][1]
