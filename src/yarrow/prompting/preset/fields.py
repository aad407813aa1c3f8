"""The fields of a preset file, their old names, and lenient parsers for their values."""

import math
import re
from collections.abc import Sequence

from yarrow.kit.json import JsonMapping, JsonObject, JsonValue

USED_FIELDS = frozenset(
    {
        "prompts",
        "prompt_order",
        "openai_max_context",
        "openai_max_tokens",
        "temperature",
        "top_p",
        "top_k",
        "frequency_penalty",
        "presence_penalty",
        "reasoning_effort",
        "names_behavior",
        "new_chat_prompt",
        "new_example_chat_prompt",
        "continue_nudge_prompt",
        "impersonation_prompt",
        "assistant_prefill",
        "assistant_impersonation",
        "wi_format",
        "scenario_format",
        "personality_format",
        "continue_prefill",
        "name",
    }
)


# Fields of real exports that configure SillyTavern's own client: model, proxy, switches.
_CLIENT_ONLY = """
    chat_completion_source openai_model claude_model windowai_model openrouter_model
    openrouter_use_fallback openrouter_force_instruct openrouter_group_models
    openrouter_sort_models openrouter_providers openrouter_quantizations
    openrouter_allow_fallbacks openrouter_middleout ai21_model mistralai_model cohere_model
    perplexity_model groq_model chutes_model siliconflow_model electronhub_model
    nanogpt_model deepseek_model aimlapi_model xai_model pollinations_model moonshot_model
    fireworks_model cometapi_model azure_openai_model zai_model zai_endpoint
    zerooneai_model blockentropy_model custom_model custom_url custom_include_body
    custom_exclude_body custom_include_headers custom_prompt_post_processing google_model
    vertexai_model vertexai_auth_mode vertexai_region vertexai_express_project_id
    azure_base_url azure_deployment_name azure_api_version workers_ai_model minimax_model
    top_a min_p repetition_penalty wrap_in_quotes send_if_empty jailbreak_system
    new_group_chat_prompt group_nudge_prompt bias_preset_selected bias_presets reverse_proxy
    proxy_password max_context_unlocked stream_openai websearch_cohere api_url_scale
    show_external_models human_sysprompt_message use_ai21_tokenizer use_google_tokenizer
    claude_use_sysprompt use_makersuite_sysprompt use_sysprompt exclude_assistant
    use_alt_scale squash_system_messages image_inlining inline_image_quality video_inlining
    audio_inlining media_inlining bypass_status_check continue_postfix function_calling
    tool_call_recurse_limit tool_reasoning_mode show_thoughts verbosity enable_web_search
    request_images request_image_aspect_ratio request_image_resolution seed n extensions
    nsfw_toggle enhance_definitions main_prompt nsfw_prompt jailbreak_prompt
    nsfw_avoidance_prompt nsfw_first legacy_streaming names_in_completion
    """

CLIENT_FIELDS = frozenset(_CLIENT_ONLY.split())

ENTRY_FIELDS = frozenset(
    {
        "identifier",
        "name",
        "role",
        "content",
        "marker",
        "enabled",
        "system_prompt",
        "injection_position",
        "injection_depth",
        "injection_order",
        "injection_trigger",
        "forbid_overrides",
    }
)

TRACK_FIELDS = frozenset({"character_id", "order"})
PLACE_FIELDS = frozenset({"identifier", "enabled"})

OLD_NAMES = {
    "maxContext": "openai_max_context",
    "maxTokens": "openai_max_tokens",
    "maxContextTokens": "openai_max_context",
    "maxOutputTokens": "openai_max_tokens",
    "max_context": "openai_max_context",
    "max_tokens": "openai_max_tokens",
    "temp": "temperature",
    "temp_openai": "temperature",
    "top_p_openai": "top_p",
    "top_k_openai": "top_k",
    "freq_pen_openai": "frequency_penalty",
    "pres_pen_openai": "presence_penalty",
    "worldInfoFormat": "wi_format",
}

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def find_current_name(name: str, known: frozenset[str]) -> str:
    """Translate old and camel-case spellings of known fields."""
    if name in known:
        return name
    current = OLD_NAMES.get(name) or _HUMP.sub("_", name).lower()
    return current if current in known else name


LARGEST = 1_000_000_000


def list_objects(value: JsonValue) -> Sequence[JsonObject]:
    """Return the objects of a list; empty for anything else."""
    if not isinstance(value, list):
        return ()
    return [item for item in value if isinstance(item, dict)]


def rename_fields(content: JsonMapping, known: frozenset[str]) -> JsonObject:
    """Return the object under current field names; the current spelling wins over old ones."""
    renamed: JsonObject = {}
    for name, value in content.items():
        current = find_current_name(name, known)
        if current == name or current not in content:
            renamed[current] = value
    return renamed


def as_text(value: JsonValue) -> str | None:
    """Accept a string, with CRLF replaced by LF; None for anything else."""
    return value.replace("\r\n", "\n") if isinstance(value, str) else None


def as_number(value: JsonValue) -> float | None:
    """Accept a finite number, also as a string; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def as_whole(value: JsonValue) -> int | None:
    """Accept a whole number, clamped to ±`LARGEST`; None for anything else."""
    number = as_number(value)
    if number is None or number != int(number):
        return None
    return max(-LARGEST, min(LARGEST, int(number)))


def as_flag(value: JsonValue) -> bool | None:
    """Accept a boolean, also as 0, 1 or a word; None for anything else."""
    if isinstance(value, bool):
        return value
    return {"true": True, "1": True, "false": False, "0": False}.get(str(value).lower())
