"""Generation parameters of a turn, from the request, the session and the preset."""

from collections.abc import Sequence

from yarrow.kit.json import JsonMapping, JsonObject, JsonValue
from yarrow.prompting.preset import Preset
from yarrow.stories.prompts import TurnPrompt

SAMPLER_NAMES = {
    "temperature": "temperature",
    "max_output_tokens": "max_tokens",
    "top_p": "top_p",
    "top_k": "top_k",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "stop_sequences": "stop",
    "reasoning_effort": "reasoning_effort",
}
"""Our names, and those of `POST /chat/completions`."""


def choose_sampler(
    prompt: TurnPrompt, requested: JsonMapping, bound: Sequence[JsonMapping] = ()
) -> JsonObject:
    """The parameters of a turn: of the request, the slot, the session, the preset."""
    preset = read_preset_parameters(prompt.material.assets.preset)
    return build_sampler((requested, *bound, _read_session_parameters(prompt), preset))


def read_timeout_ms(prompt: TurnPrompt) -> int | None:
    """How long the model may be silent, if the session says so."""
    value = _read_session_parameters(prompt).get("timeout_ms")
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _read_session_parameters(prompt: TurnPrompt) -> JsonObject:
    parameters = prompt.state.session.bindings.model.get("params")
    return parameters if isinstance(parameters, dict) else {}


def build_sampler(layers: Sequence[JsonMapping]) -> JsonObject:
    """Merge parameters, the first layer that has one winning, under the names of the endpoint."""
    sampler: JsonObject = {}
    for name, sent_name in SAMPLER_NAMES.items():
        value = next((layer[name] for layer in layers if layer.get(name) is not None), None)
        if value is not None and value != []:
            sampler[sent_name] = value
    return sampler


def read_preset_parameters(preset: Preset | None) -> JsonObject:
    """The parameters of a preset; None leaves the choice to the model."""
    if preset is None:
        return {}
    sampling = preset.sampling
    parameters: dict[str, JsonValue] = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "top_k": sampling.top_k,
        "frequency_penalty": sampling.frequency_penalty,
        "presence_penalty": sampling.presence_penalty,
        "reasoning_effort": sampling.reasoning_effort,
        "max_output_tokens": preset.reply_tokens,
    }
    return parameters
