"""Reading presets, real ones and hostile ones."""

import pytest
from tests.loose_json import JsonObject, JsonValue

from yarrow.prompting.model import PromptRole
from yarrow.prompting.preset import (
    ChatPosition,
    NamesBehavior,
    PresetMarker,
    PromptIntent,
    parse_preset,
)


def track(character_id: JsonValue, *identifiers: str) -> JsonObject:
    return {
        "character_id": character_id,
        "order": [{"identifier": name, "enabled": True} for name in identifiers],
    }


def entry(identifier: str, content: str = "text", **fields: JsonValue) -> JsonObject:
    return {"identifier": identifier, "name": identifier, "content": content, **fields}


def codes(content: JsonObject) -> list[str]:
    return [warning.code for warning in parse_preset(content).report.warnings]


class TestTracks:
    @pytest.mark.parametrize(
        ("ids", "chosen", "others"),
        [
            # seed 4: 100000 is chosen, 200001 ignored
            ([100000, 200001], 100000, (200001,)),
            # SillyTavern's own window uses 100001
            ([100000, 100001], 100001, (100000,)),
            ([7, 8], 7, (8,)),
            (["100001", "x"], 100001, ("x",)),
        ],
    )
    def test_the_live_track_wins_then_the_legacy_one_then_the_first(
        self, ids: list[JsonValue], chosen: int, others: tuple[JsonValue, ...]
    ) -> None:
        content: JsonObject = {
            "prompts": [entry("a")],
            "prompt_order": [track(i, "a") for i in ids],
        }

        report = parse_preset(content).report

        assert (report.selected_track, report.ignored_tracks) == (chosen, others)
        assert "prompt_order_tracks" in [warning.code for warning in report.warnings]

    def test_without_an_order_entries_are_as_declared_with_a_warning(self) -> None:
        content: JsonObject = {"prompts": [entry("b"), entry("a", enabled=False)]}

        preset = parse_preset(content)

        assert [(e.identifier, e.is_enabled) for e in preset.entries] == [("b", True), ("a", False)]
        assert preset.report.selected_track is None
        assert "prompt_order_missing" in codes(content)

    def test_the_track_switches_entries_on_and_off(self) -> None:
        order: JsonObject = {
            "character_id": 100001,
            "order": [{"identifier": "a", "enabled": False}, {"identifier": "b"}],
        }

        preset = parse_preset({"prompts": [entry("b"), entry("a")], "prompt_order": [order]})

        assert [(e.identifier, e.is_enabled) for e in preset.entries] == [("a", False), ("b", True)]

    def test_a_bare_list_of_places_is_one_track(self) -> None:
        places: JsonValue = [{"identifier": "b", "enabled": True}, {"identifier": "a"}]

        preset = parse_preset({"prompts": [entry("a"), entry("b")], "prompt_order": places})

        assert [e.identifier for e in preset.entries] == ["b", "a"]

    def test_names_that_are_not_declared_or_come_twice_are_reported(self) -> None:
        content: JsonObject = {
            "prompts": [entry("a"), entry("a", "other")],
            "prompt_order": [track(100001, "a", "a", "ghost")],
        }

        preset = parse_preset(content)

        assert [e.content for e in preset.entries] == ["text"]
        assert {"entry_repeated", "place_repeated", "entry_missing"} <= set(codes(content))


class TestEntries:
    def test_defaults_are_sillytaverns(self) -> None:
        preset = parse_preset({"prompts": [entry("a", injection_position=1)]})

        assert preset.entries[0].role is PromptRole.SYSTEM
        assert preset.entries[0].in_chat == ChatPosition(depth=4, order=100)
        assert (preset.context_tokens, preset.reply_tokens) == (4095, 300)
        assert (preset.sampling.temperature, preset.sampling.top_p) == (1.0, 1.0)
        assert preset.texts.lore_format == "{0}"
        assert preset.names is NamesBehavior.GROUPS

    def test_markers_are_known_by_their_identifier(self) -> None:
        preset = parse_preset(
            {"prompts": [entry("chatHistory", ""), entry("odd", "", marker=True)]}
        )

        assert [e.marker for e in preset.entries] == [PresetMarker.HISTORY, None]
        assert preset.report.unresolved_markers == ("odd",)

    def test_unknown_triggers_are_reported_and_none_left_means_never(self) -> None:
        preset = parse_preset(
            {
                "prompts": [
                    entry("a", injection_trigger=["quiet", "unheard"]),
                    entry("b", injection_trigger=["unheard"]),
                ]
            }
        )

        assert preset.entries[0].triggers == {PromptIntent.QUIET}
        assert not any(preset.entries[1].accepts_intent(intent) for intent in PromptIntent)
        assert "prompts[].injection_trigger" in preset.report.unsupported_fields

    @pytest.mark.parametrize(
        ("fields", "path"),
        [
            ({"injection_depth": -3}, "prompts[].injection_depth"),
            ({"injection_depth": "deep"}, "prompts[].injection_depth"),
            ({"injection_position": 9}, "prompts[].injection_position"),
            ({"injection_order": []}, "prompts[].injection_order"),
            ({"role": "narrator"}, "prompts[].role"),
        ],
    )
    def test_values_we_cannot_follow_are_unsupported(self, fields: JsonObject, path: str) -> None:
        preset = parse_preset({"prompts": [entry("a", **fields)]})

        assert preset.report.unsupported_fields == (path,)

    def test_numbers_may_be_written_as_strings(self) -> None:
        preset = parse_preset(
            {
                "prompts": [entry("a", injection_position="1", injection_depth="2")],
                "openai_max_context": "8000",
            }
        )

        assert preset.entries[0].in_chat == ChatPosition(depth=2)
        assert preset.context_tokens == 8000
        assert preset.report.unsupported_fields == ()


class TestNames:
    @pytest.mark.parametrize(
        ("value", "behaviour"),
        [
            (-1, NamesBehavior.OFF),
            (0, NamesBehavior.GROUPS),
            (1, NamesBehavior.ALWAYS),
            (2, NamesBehavior.ALWAYS),
        ],
    )
    def test_one_and_two_are_always(self, value: int, behaviour: NamesBehavior) -> None:
        assert parse_preset({"names_behavior": value}).names is behaviour

    def test_an_unknown_value_is_off_and_unsupported(self) -> None:
        preset = parse_preset({"names_behavior": 5})

        assert preset.names is NamesBehavior.OFF
        assert preset.report.unsupported_fields == ("names_behavior",)


class TestReport:
    def test_fields_of_the_sillytavern_client_are_ignored_without_a_warning(self) -> None:
        content: JsonObject = {"openai_model": "gpt-4-turbo", "stream_openai": True, "min_p": 0}

        report = parse_preset(content).report

        assert report.ignored_fields == (
            "top_level.openai_model",
            "top_level.stream_openai",
            "top_level.min_p",
        )
        assert "unknown_fields" not in codes(content)

    def test_fields_nobody_knows_are_ignored_with_a_warning(self) -> None:
        content: JsonObject = {
            "flux": 1,
            "prompts": [entry("a", colour="red")],
            "prompt_order": [{**track(100001, "a"), "xkey": 1}],
        }

        assert parse_preset(content).report.ignored_fields == (
            "top_level.flux",
            "prompts[].colour",
            "prompt_order[].xkey",
        )
        assert "unknown_fields" in codes(content)

    def test_old_camel_case_names_are_read(self) -> None:
        preset = parse_preset(
            {
                "maxContext": 9000,
                "namesBehavior": 1,
                "continueNudgePrompt": "go on",
                "prompts": [entry("a", injectionPosition=1, forbidOverrides=True), entry("b")],
                "promptOrder": [{"characterId": 100000, "order": [{"identifier": "a"}]}],
            }
        )

        assert preset.context_tokens == 9000
        assert preset.names is NamesBehavior.ALWAYS
        assert preset.texts.continue_nudge == "go on"
        assert preset.report.selected_track == 100000
        assert [(e.identifier, e.forbids_overrides) for e in preset.entries] == [("a", True)]
        assert preset.report.ignored_fields == ()

    @pytest.mark.parametrize(
        ("written", "sent"),
        [
            ("auto", None),
            ("min", "low"),
            ("low", "low"),
            ("medium", "medium"),
            ("high", "high"),
            ("max", "high"),
            ("", None),
        ],
    )
    def test_reasoning_effort_is_what_sillytavern_sends(
        self, written: str, sent: str | None
    ) -> None:
        """`getReasoningEffort` of its openai.js: endpoints refuse words such as `auto`."""
        preset = parse_preset({"reasoning_effort": written})

        assert preset.sampling.reasoning_effort == sent
        assert preset.report.unsupported_fields == ()

    @pytest.mark.parametrize("written", ["hard", 3, True])
    def test_an_unknown_reasoning_effort_is_reported_and_not_sent(self, written: JsonValue) -> None:
        preset = parse_preset({"reasoning_effort": written})

        assert preset.sampling.reasoning_effort is None
        assert preset.report.unsupported_fields == ("reasoning_effort",)


# The top level of the preset that SillyTavern ships, and of one a user exported in 2026.
SHIPPED = """
    chat_completion_source openai_model claude_model openrouter_model openrouter_use_fallback
    openrouter_group_models openrouter_sort_models ai21_model mistralai_model custom_model
    custom_url custom_include_body custom_exclude_body custom_include_headers google_model
    vertexai_model temperature frequency_penalty presence_penalty top_p top_k top_a min_p
    repetition_penalty openai_max_context openai_max_tokens wrap_in_quotes names_behavior
    send_if_empty impersonation_prompt new_chat_prompt new_group_chat_prompt
    new_example_chat_prompt continue_nudge_prompt bias_preset_selected reverse_proxy
    proxy_password max_context_unlocked wi_format scenario_format personality_format
    group_nudge_prompt stream_openai prompts prompt_order show_external_models assistant_prefill
    assistant_impersonation claude_use_sysprompt squash_system_messages image_inlining
    bypass_status_check continue_prefill continue_postfix seed n
    openrouter_providers openrouter_allow_fallbacks openrouter_middleout cohere_model
    perplexity_model groq_model zerooneai_model blockentropy_model custom_prompt_post_processing
    websearch_cohere jailbreak_system api_url_scale human_sysprompt_message use_ai21_tokenizer
    use_google_tokenizer use_makersuite_sysprompt use_alt_scale inline_image_quality
    video_inlining function_calling show_thoughts reasoning_effort enable_web_search
    request_images use_sysprompt media_inlining tool_call_recurse_limit verbosity
    request_image_aspect_ratio request_image_resolution tool_reasoning_mode extensions
    vertexai_auth_mode vertexai_region vertexai_express_project_id
"""


class TestRealExports:
    def test_every_field_of_a_real_export_is_followed_or_ignored_none_is_unknown(self) -> None:
        report = parse_preset(dict.fromkeys(SHIPPED.split())).report

        assert "unknown_fields" not in [warning.code for warning in report.warnings]
        assert report.unsupported_fields == ()
        assert "top_level.openai_model" in report.ignored_fields
        assert "top_level.wi_format" not in report.ignored_fields

    def test_regex_scripts_are_followed_and_other_extensions_named(self) -> None:
        content: JsonObject = {"extensions": {"regex_scripts": [], "a": 1, "b": 2}}

        assert parse_preset({"extensions": {}}).report.ignored_fields == ("top_level.extensions",)
        assert parse_preset(content).report.ignored_fields == (
            "top_level.extensions.a",
            "top_level.extensions.b",
        )


class TestHostileFiles:
    @pytest.mark.parametrize(
        "content",
        [
            {},
            {"prompts": "all of them", "prompt_order": 7},
            {"prompts": [None, 3, [], {"identifier": 9}], "prompt_order": [None, {"order": {}}]},
            {"temperature": "hot", "openai_max_context": -1, "wi_format": 5, "top_p": []},
            {"openai_max_context": 10**400, "temperature": "nan", "top_k": "inf"},
            {"prompts": [{"identifier": "a", "injection_trigger": {"x": 1}, "content": {}}]},
        ],
    )
    def test_nothing_in_a_file_makes_reading_fail(self, content: JsonObject) -> None:
        preset = parse_preset(content)

        assert preset.context_tokens == 4095
        assert preset.texts.lore_format == "{0}"

    def test_a_depth_of_a_thousand_million_is_a_depth(self) -> None:
        preset = parse_preset(
            {"prompts": [entry("a", injection_position=1, injection_depth=10**9)]}
        )

        assert preset.entries[0].in_chat == ChatPosition(depth=10**9)

    def test_ten_thousand_places_of_one_marker_are_one_place(self) -> None:
        content: JsonObject = {
            "prompts": [entry("chatHistory", "", marker=True)] * 10_000,
            "prompt_order": [track(100001, *["chatHistory"] * 10_000)],
        }

        preset = parse_preset(content)

        assert len(preset.entries) == 1
        assert len(preset.report.warnings) <= 100
