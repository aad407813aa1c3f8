"""What a prompt contains, what it excludes, and what its trace reports."""

import pytest
from msgspec.structs import replace
from tests.loose_json import JsonValue
from tests.unit.prompting.assembly.example import (
    LUNA,
    PLAIN,
    PLAYER,
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
    AssetStamp,
    AssetStamps,
    ChatFacts,
    InputOrigin,
    RunKind,
    StoredVariables,
    assemble,
)
from yarrow.prompting.assembly.result import digest_prompt
from yarrow.prompting.macros import MacroPhase
from yarrow.prompting.model import CharacterCard
from yarrow.prompting.policy import (
    HistoryMode,
    PromptPolicy,
    SourcePolicy,
    StructureMode,
    StructurePolicy,
    TurnRange,
    VisibilityMode,
    VisibilityPolicy,
)
from yarrow.prompting.preset import PromptIntent
from yarrow.prompting.regex_rules import parse_rules


def under(inputs: AssemblyInput, policy: PromptPolicy) -> AssemblyInput:
    return replace(inputs, policy=policy)


def ruled(inputs: AssemblyInput, *scripts: JsonValue) -> AssemblyInput:
    return replace(inputs, assets=replace(inputs.assets, rules=parse_rules(scripts)))


def script(name: str, find: str, replacement: str, **fields: JsonValue) -> JsonValue:
    placement = fields.pop("placement", [1])
    return {
        "scriptName": name,
        "findRegex": find,
        "replaceString": replacement,
        "placement": placement,
        **fields,
    }


class TestMacros:
    def test_what_one_entry_writes_the_next_one_reads(self) -> None:
        preset = make_preset(
            entry("a", "{{setvar::x::V}}A"), entry("b", "B[{{getvar::x}}]"), entry("chatHistory")
        )
        result = assemble(make_input(preset))

        assert result.messages[0].content == "A\n\nB[V]"
        assert [(m.key, m.value) for m in result.staged_mutations] == [("x", "V")]

    def test_texts_run_in_the_order_of_the_prompt_not_of_the_track(self) -> None:
        preset = make_preset(
            entry("late", "late {{getvar::n}}", injection_position=1, injection_depth=0),
            entry("first", "{{incvar::n}}"),
            entry("chatHistory"),
            entry("deep", "{{incvar::n}}", injection_position=1, injection_depth=9),
            entry("last", "last {{incvar::n}}"),
        )
        texts = [text for role, text in assemble_messages(make_input(preset)) if role == "system"]

        assert texts == ["1\n\n2", "late 2\n\nlast 3"]

    def test_lore_is_looked_at_before_it_is_run(self) -> None:
        preset = make_preset(
            entry("main", "{{getvar::seen}}-"), entry("worldInfoBefore"), entry("chatHistory")
        )
        book = make_book(constant("{{incvar::seen}}"))
        result = assemble(make_input(preset, books=[book]))

        assert result.messages[0].content == "-\n\n1"
        assert len(result.staged_mutations) == 1

    def test_chat_text_never_executes(self) -> None:
        talk = [("user", "{{setvar::x::1}}"), ("assistant", "{{char}} <USER>")]
        result = assemble(make_input(talk=talk, message="{{incvar::x}}"))

        assert [m.content for m in result.messages[1:4]] == [
            "{{setvar::x::1}}",
            "{{char}} <USER>",
            "{{incvar::x}}",
        ]
        assert result.staged_mutations == ()

    def test_values_come_from_the_cards_texts_with_their_macros_run(self) -> None:
        preset = make_preset(
            entry("main", "{{description}}|{{persona}}|{{model}}|{{lastMessage}}"),
            entry("chatHistory"),
        )
        inputs = make_input(
            preset,
            card=replace(LUNA, description="D {{user}}"),
            persona=replace(PLAYER, description="P {{char}}"),
        )
        inputs = replace(inputs, model=replace(inputs.model, name="m-1"))

        assert assemble_messages(inputs)[0] == ("system", "D Player|P Luna|m-1|cur")

    def test_without_a_persona_the_user_is_called_user_everywhere(self) -> None:
        preset = make_preset(
            entry("main", "{{user}} <USER> {{notChar}}"), entry("chatHistory"), names_behavior=2
        )
        result = assemble(make_input(preset, persona=None))

        assert result.messages[0].content == "User User User"
        assert result.messages[-1].content == "User: cur"
        assert result.trace.macro.warnings == ()

    def test_a_variable_names_a_user_without_a_persona(self) -> None:  # reference 4.3
        preset = make_preset(
            entry("main", "{{user}} {{notChar}}"), entry("chatHistory"), names_behavior=2
        )
        inputs = replace(
            make_input(preset, persona=None), variables=StoredVariables(stored={"user": "Ada"})
        )

        assert assemble_messages(inputs)[0] == ("system", "Ada Ada")
        assert assemble_messages(inputs)[-1] == ("user", "Ada: cur")

    def test_escaped_braces_of_a_value_are_braces(self) -> None:
        preset = make_preset(entry("main", "{{description}}"), entry("chatHistory"))
        inputs = make_input(preset, card=replace(LUNA, description=r"write \{\{char\}\}"))

        assert assemble_messages(inputs)[0] == ("system", "write {{char}}")

    @pytest.mark.parametrize(
        ("macro", "value"),
        [
            ("user", "Player"),
            ("char", "Luna"),
            ("systemPrompt", "main text"),
            ("charPrompt", "card system"),
            ("charInstruction", "card last"),
            ("charAuthorsNote", "notes"),
            ("runKind", "respond"),
            ("promptMode", "compat_strict"),
            ("maxPrompt", "3795"),
            ("summary", "long ago"),
            ("lastUserMessage", "cur"),
            ("lastCharMessage", "a0"),
            ("isodate", "2026-04-03"),
        ],
    )
    def test_read_only_macros_have_their_values(self, macro: str, value: str) -> None:
        card = CharacterCard(
            "Luna", system_prompt="card system", post_history="card last", creator_notes="notes"
        )
        preset = make_preset(
            entry("main", "main text", forbid_overrides=True),
            entry("chatHistory"),
            entry("x", "[{{" + macro + "}}]"),
        )
        inputs = make_input(preset, card=card)
        inputs = replace(inputs, session=replace(inputs.session, memory_summary="long ago"))

        assert f"[{value}]" in assemble_messages(inputs)[-1][1]

    IDS = "{{lastMessageId}} {{firstIncludedMessageId}} {{currentSwipeId}} {{lastSwipeId}}"

    @pytest.mark.parametrize(
        ("message", "window", "ids"),
        [("cur", None, "9 4 2 3"), ("", None, "8 4 2 3"), ("cur", 2, "9 8 2 3")],
    )
    def test_ids_count_stored_messages_and_swipes_count_from_one(
        self, message: str, window: int | None, ids: str
    ) -> None:
        """Five messages are shown, of nine that are stored; the user's first two are one turn."""
        talk = [("user", "a"), ("user", "b"), ("assistant", "c"), ("user", "d"), ("assistant", "e")]
        inputs = make_input(make_preset(entry("main", self.IDS), entry("chatHistory")), talk=talk)
        numbered = [replace(one, number=at + 4) for at, one in enumerate(inputs.history)]
        facts = replace(inputs.session, chat=ChatFacts(9, swipe=2, swipe_count=3))
        mode = HistoryMode.FULL if window is None else HistoryMode.WINDOWED
        policy = PromptPolicy(source_selection=SourcePolicy(history=mode, max_messages=window))
        asked = replace(inputs.message, text=message)
        whole = replace(inputs, history=numbered, session=facts, policy=policy, message=asked)

        assert assemble_messages(whole)[0] == ("system", ids)

    def test_an_empty_chat_has_no_ids(self) -> None:
        inputs = make_input(make_preset(entry("main", f"[{self.IDS}]")), talk=[], message="")

        assert assemble_messages(inputs)[0] == ("system", "[   ]")

    def test_a_dry_run_shows_writes_and_stages_none(self) -> None:
        preset = make_preset(entry("a", "{{setvar::x::1}}{{runKind}}"), entry("chatHistory"))
        inputs = make_input(preset)
        around = replace(inputs.runtime, phase=MacroPhase.DRY_RUN, run_kind=RunKind.DRY_RUN)
        result = assemble(replace(inputs, runtime=around))

        assert result.messages[0].content == "dry_run"
        assert [m.key for m in result.trace.macro.mutation_preview] == ["x"]
        assert result.staged_mutations == ()

    def test_stored_names_of_the_cast_are_collisions(self) -> None:
        inputs = replace(
            make_input(), variables=StoredVariables(local={"char": "X"}, stored={"user": "Y"})
        )

        assert assemble(inputs).diagnostics.reserved_variable_collisions == ("char", "user")

    def test_the_same_input_gives_the_same_prompt(self) -> None:
        preset = make_preset(
            entry("main", "{{random::a::b::c::d}} {{roll::d100}}"), entry("chatHistory")
        )

        digests = {assemble(make_input(preset)).snapshot.prompt_digest for _ in range(5)}

        assert len(digests) == 1


class TestRules:
    def test_persisted_rules_change_the_stored_and_the_sent_message(self) -> None:
        result = assemble(ruled(make_input(), script("up", "cur", "CUR")))

        assert result.diagnostics.preprocessed_user_message == "CUR"
        assert result.messages[3].content == "CUR"
        assert result.diagnostics.regex_pre_rules == ("up",)

    def test_rules_of_the_prompt_leave_the_stored_message_alone(self) -> None:
        result = assemble(ruled(make_input(), script("up", "cur", "CUR", promptOnly=True)))

        assert result.diagnostics.preprocessed_user_message == "cur"
        assert result.messages[3].content == "CUR"

    def test_a_stored_message_is_not_ruled_again(self) -> None:
        inputs = ruled(make_input(message="aa"), script("x", "/a/", "aa"))
        stored = replace(inputs, message=replace(inputs.message, origin=InputOrigin.STORED))

        assert assemble(inputs).messages[3].content == "aaa"
        assert assemble(stored).messages[3].content == "aa"

    def test_depth_zero_is_the_newest_message(self) -> None:
        rule = script("x", ".", "#", promptOnly=True, placement=[1, 2], minDepth=1, maxDepth=1)

        assert [text for _role, text in assemble_messages(ruled(make_input(), rule))[1:4]] == [
            "u0",
            "##",
            "cur",
        ]

    def test_lore_is_ruled_on_its_way_into_the_prompt(self) -> None:
        preset = make_preset(entry("worldInfoBefore"), entry("chatHistory"))
        inputs = make_input(preset, books=[make_book(constant("old {{char}}"))])
        rule = script("x", "Luna", "moon", promptOnly=True, placement=[5])

        assert assemble_messages(ruled(inputs, rule))[0] == ("system", "old moon")

    def test_lore_at_a_depth_has_that_depth_for_rules(self) -> None:
        """SillyTavern's `checkWorldInfo` gives the depth of lore at a depth, of other lore none."""
        preset = make_preset(entry("worldInfoBefore"), entry("chatHistory"))
        deep, near = (constant(f"old {depth}", position=4, depth=depth) for depth in (3, 1))
        inputs = make_input(preset, books=[make_book(constant("old"), deep, near)])
        rule = script("x", "old", "new", promptOnly=True, placement=[5], maxDepth=2)

        texts = "\n".join(text for _, text in assemble_messages(ruled(inputs, rule)))

        assert [text for text in ("new", "old 3", "new 1") if text in texts.splitlines()] == [
            "new",
            "old 3",
            "new 1",
        ]

    def test_rules_for_answers_are_named_for_later(self) -> None:
        inputs = ruled(
            make_input(),
            script("out", "x", "y", placement=[2]),
            script("off", "x", "y", disabled=True),
        )
        snapshot = assemble(inputs).snapshot

        assert snapshot.regex_pre_rule_names == ()
        assert snapshot.regex_post_rule_names == ("out",)

    def test_each_step_tells_what_it_did(self) -> None:
        inputs = ruled(
            make_input(), script("a", "cur", "C"), script("b", "C", "D", promptOnly=True)
        )
        phases = assemble(inputs).trace.regex.phases

        assert [(one.phase, one.applied_rules) for one in phases] == [
            ("persist.user_input", ("a",)),
            ("prompt.user_input", ("b",)),
            ("prompt.ai_output", ()),
        ]

    def test_placements_that_never_run_are_reported(self) -> None:
        rule = script("old", "a", "b", placement=[0, 1, 3, 6])

        assert assemble(ruled(make_input(), rule)).trace.regex.reserved_placements == (0, 3, 6)


class TestSelection:
    def test_a_window_counts_turns_with_the_current_one(self) -> None:
        selection = SourcePolicy(history=HistoryMode.WINDOWED, max_messages=2)
        result = assemble(under(make_input(), PromptPolicy(source_selection=selection)))

        assert [m.content for m in result.messages] == ["MAIN", "a0", "cur", "PHI"]
        excluded = result.trace.source_selection.excluded_sources
        assert [(e.source.value, e.reason.value) for e in excluded] == [
            ("history", "disabled_by_policy")
        ]

    def test_sources_that_are_switched_off_stay_out(self) -> None:
        preset = make_preset(
            entry("worldInfoBefore"),
            entry("dialogueExamples"),
            entry("main", "[{{summary}}]"),
            entry("chatHistory"),
        )
        inputs = make_input(
            preset, card=replace(LUNA, examples="EX"), books=[make_book(constant("LORE"))]
        )
        inputs = replace(inputs, session=replace(inputs.session, memory_summary="MEM"))
        off = SourcePolicy(memory=False, worldbook=False, examples=False)
        result = assemble(under(inputs, PromptPolicy(source_selection=off)))

        assert result.messages[0].content == "[]"
        assert result.diagnostics.worldbook_hits == 0
        excluded = result.trace.source_selection.excluded_sources
        assert [e.source.value for e in excluded] == ["memory", "worldbook", "examples"]

    def test_books_in_which_no_entry_matched_are_reported(self) -> None:
        result = assemble(make_input(books=[make_book({"key": ["dragon"], "content": "x"})]))

        excluded = result.trace.source_selection.excluded_sources
        assert [e.reason.value for e in excluded] == ["not_triggered"]

    @pytest.mark.parametrize(
        ("policy", "shown"),
        [
            (VisibilityPolicy(hidden_turn_ranges=(TurnRange(0, 0),)), ["u1", "a1", "u2", "a2"]),
            (VisibilityPolicy(hidden_turn_ids=frozenset({"floor_1"})), ["u0", "a0", "u2", "a2"]),
            (
                VisibilityPolicy(
                    mode=VisibilityMode.DENY_ALL_EXCEPT_VISIBLE,
                    visible_turn_ranges=(TurnRange(1, 2),),
                    hidden_turn_ids=frozenset({"floor_2"}),
                ),
                ["u1", "a1"],
            ),
        ],
    )
    def test_hidden_floors_stay_out(self, policy: VisibilityPolicy, shown: list[str]) -> None:
        talk = [(role, f"{role[0]}{at}") for at in range(3) for role in ("user", "assistant")]
        result = assemble(under(make_input(talk=talk), PromptPolicy(visibility=policy)))

        assert [m.content for m in result.messages[1:-2]] == shown
        assert result.trace.visibility is not None
        assert result.trace.visibility.filtered_message_count == 6 - len(shown)
        reasons = [e.reason.value for e in result.trace.source_selection.excluded_sources]
        assert reasons == ["visibility_filtered"]

    def test_without_rules_there_is_no_visibility_trace(self) -> None:
        assert assemble(make_input()).trace.visibility is None


class TestWhatIsTold:
    def test_a_match_says_which_entry_where_and_why(self) -> None:
        # seed 4: the entry of the campfire
        preset = make_preset(entry("worldInfoBefore"), entry("chatHistory"))
        book = make_book(
            {"uid": 7, "key": ["campfire"], "comment": "Campfire Lore", "content": "Sentries."}
        )
        message = "Please continue the campfire scene."
        result = assemble(make_input(preset, message=message, books=[book]))

        (match,) = result.diagnostics.worldbook_matches
        assert (match.uid, match.comment, match.order) == (7, "Campfire Lore", 100)
        assert match.content_preview == "Sentries."
        assert match.source.worldbook_name == "Book"
        assert match.insertion.position.value == "before"
        first = match.activation.first_match
        assert first is not None
        assert (first.message_index_from_latest, first.char_start, first.char_end) == (0, 20, 28)
        assert result.snapshot.worldbook_activated_entry_uids == (7,)

    def test_the_snapshot_names_versions_and_the_same_estimate(self) -> None:
        stamps = AssetStamps(preset=AssetStamp("preset_1", 1735689600000, 4))
        inputs = make_input()
        inputs = replace(inputs, assets=replace(inputs.assets, stamps=stamps))
        result = assemble(inputs)

        assert result.snapshot.assets.preset.version == 4
        assert result.snapshot.token_estimate == result.token_estimate
        assert result.snapshot.prompt_digest == digest_prompt(result.messages)
        assert result.available_for_reply == 4095 - result.token_estimate

    def test_user_entries_that_were_folded_are_reported(self) -> None:
        result = assemble(make_input(talk=[*TALK, ("user", "and")]))

        assert result.messages[3].content == "and\n\ncur"
        trace = result.trace.history_normalization
        assert (trace.raw_entry_count, trace.effective_turn_count) == (4, 3)
        assert trace.merged_user_groups[0].includes_current_input

    def test_a_flattened_prompt_takes_the_prefill_into_its_transcript(self) -> None:
        policy = PromptPolicy(structure=StructurePolicy(mode=StructureMode.FLATTENED))
        preset = {**PLAIN, "assistant_prefill": "Well,"}
        inputs = make_input(preset, intent=PromptIntent.CONTINUE)
        result = assemble(under(inputs, policy))

        assert result.messages[-1].content.endswith("User: cur\nAssistant: Well,")
        assert result.trace.structure.assistant_prefill_transcriptized
        told = result.diagnostics.assistant_prefill_strategy
        assert told.value == "transcript_append"
