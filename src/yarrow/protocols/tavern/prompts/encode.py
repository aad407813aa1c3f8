"""From assembled prompts and their traces to the wire."""

from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import asdict

from yarrow.prompting.assembly import (
    AssemblyResult,
    AssetStamp,
    HistoryTrace,
    HistoryViolationCode,
    LoreActivation,
    PromptSnapshot,
    RuntimeTrace,
    StructureTrace,
    VisibilityTrace,
    WorldbookCut,
    WorldbookMatch,
    WorldbookTrace,
)
from yarrow.prompting.macros import MacroReport, MutationKind, VariableMutation, format_value
from yarrow.prompting.policy import ResolvedPolicy, StructureMode
from yarrow.stories.model import VARIABLES_ARE_CURRENT, StoryState
from yarrow.stories.prompts import DryRun, PreviewRun

WireObject: TypeAlias = dict[str, object]
"""JSON values and structs, which `encode_json` encodes as objects without a copy."""

_TRANSCRIPT_FIELDS = (
    "transcriptized",
    "transcript_message_count",
    "assistant_prefill_transcriptized",
)
_VIOLATIONS = {HistoryViolationCode.ADJACENT_ASSISTANT_TURNS: "adjacent_assistant_floors"}


LIMITATIONS = {
    VARIABLES_ARE_CURRENT: "Variables are those of now: those of the floor are not known.",
}


def encode_limitations(limitations: Sequence[str]) -> list[str]:
    return [LIMITATIONS[each] for each in limitations]


def encode_dry_run(run: DryRun, *, with_matches: bool) -> WireObject:
    result = run.assembly
    encoded: WireObject = {
        "messages": result.messages,
        "token_estimate": result.token_estimate,
        "available_for_reply": result.available_for_reply,
        "memory_summary": result.memory_summary,
        "prompt_snapshot": encode_snapshot(result.snapshot),
        "assembly": _encode_diagnostics(result, with_matches=with_matches),
        "runtime_trace": encode_trace(result.trace, with_matches=with_matches),
    }
    if run.state.limitations:
        encoded["limitations"] = encode_limitations(run.state.limitations)
    return encoded


def encode_preview(run: PreviewRun) -> WireObject:
    warnings = [warning.code.value for warning in run.preview.macro.warnings]
    return {
        "text": run.preview.text,
        "scope": _encode_scope(run.state),
        **_encode_policy(run.policy),
        "runtime_trace": {"macro": encode_macros(run.preview.macro)},
        "diagnostics": {"warning_codes": list(dict.fromkeys(warnings))},
        "limitations": encode_limitations(run.state.limitations),
    }


def _encode_scope(state: StoryState) -> WireObject:
    return {
        "session_id": str(state.session.session_id),
        "branch_id": state.branch,
        "local": "branch",
        "global": "global",
    }


def _encode_policy(policy: ResolvedPolicy) -> WireObject:
    return {"policy": policy.values, "source_map": policy.source_map}


def encode_snapshot(snapshot: PromptSnapshot) -> WireObject:
    """Stamps of assets become fields of the snapshot itself."""
    encoded = asdict(snapshot)
    assets = encoded.pop("assets")
    return {
        **_encode_stamp("preset", assets.preset),
        **_encode_stamp("worldbook", assets.worldbook),
        **_encode_stamp("regex_profile", assets.regex_profile),
        **_encode_stamp("character", assets.character),
        **encoded,
    }


def _encode_stamp(name: str, stamp: AssetStamp) -> WireObject:
    return {
        f"{name}_id": stamp.id,
        f"{name}_updated_at": stamp.updated_at,
        f"{name}_version": stamp.version,
    }


def _encode_diagnostics(result: AssemblyResult, *, with_matches: bool) -> WireObject:
    encoded = asdict(result.diagnostics)
    matches = encoded.pop("worldbook_matches")
    if with_matches:
        encoded["worldbook_matches"] = [encode_match(match) for match in matches]
    return encoded


def encode_trace(trace: RuntimeTrace, *, with_matches: bool) -> WireObject:
    encoded = asdict(trace)
    encoded["worldbook"] = _encode_worldbook(trace.worldbook, with_matches=with_matches)
    encoded["structure"] = _encode_structure(trace.structure)
    encoded["macro"] = encode_macros(trace.macro)
    encoded["history_normalization"] = encode_history(trace.history_normalization)
    del encoded["origins"]  # Explanations and inspections have them as `sources`.
    if trace.director is None:
        del encoded["director"]
    if trace.visibility is None:
        del encoded["visibility"]
    else:
        encoded["visibility"] = encode_visibility(trace.visibility)
    return encoded


def encode_history(trace: HistoryTrace) -> WireObject:
    """How the history was merged; clients call a turn a floor."""
    return {
        "raw_entry_count": trace.raw_entry_count,
        "effective_turn_count": trace.effective_turn_count,
        "selected_turn_count": trace.selected_turn_count,
        "trailing_user_source_floor_ids": trace.trailing_user_turn_ids,
        "merged_user_groups": [
            {
                "effective_role": group.effective_role,
                "source_floor_ids": group.source_turn_ids,
                "source_message_ids": group.source_message_ids,
                "includes_current_input": group.includes_current_input,
            }
            for group in trace.merged_user_groups
        ],
        "violations": [
            {"code": _VIOLATIONS[violation.code], "floor_ids": violation.turn_ids}
            for violation in trace.violations
        ],
    }


def encode_visibility(trace: VisibilityTrace) -> WireObject:
    return {
        "mode": trace.mode,
        "filtered_floor_ids": trace.filtered_turn_ids,
        "filtered_message_count": trace.filtered_message_count,
    }


def _encode_worldbook(trace: WorldbookTrace, *, with_matches: bool) -> WireObject:
    encoded: WireObject = {"hit_count": trace.hit_count}
    if with_matches:
        encoded["matches"] = [encode_match(match) for match in trace.matches]
    encoded["cut"] = [encode_cut(cut) for cut in trace.cut]
    encoded["warnings"] = [
        {
            "code": warning.code,
            "source": warning.source,
            "uid": warning.uid,
            "detail": warning.detail,
        }
        for warning in trace.warnings
    ]
    return encoded


def encode_match(match: WorldbookMatch) -> WireObject:
    """Fields that do not apply are left out."""
    return asdict(match) | {"activation": _encode_activation(match.activation)}


def encode_cut(cut: WorldbookCut) -> WireObject:
    """An entry that matched but was not sent, with where it matched."""
    activation = None if cut.activation is None else _encode_activation(cut.activation)
    return asdict(cut) | {"activation": activation}


def _encode_activation(activation: LoreActivation) -> WireObject:
    first = activation.first_match
    return {
        "mode": activation.mode,
        "recursion_level": activation.recursion_level,
        "first_match": None if first is None else _drop_none(asdict(first)),
    }


def _encode_structure(trace: StructureTrace) -> WireObject:
    encoded = asdict(trace)
    if trace.mode is not StructureMode.FLATTENED:
        for name in _TRANSCRIPT_FIELDS:
            encoded.pop(name, None)
    return _drop_none(encoded)


def encode_macros(report: MacroReport) -> WireObject:
    return {
        "warnings": report.warnings,
        "used_names": report.used_names,
        "mutation_preview": [_encode_mutation(each) for each in report.mutation_preview],
        "staged_mutations": [_encode_mutation(each) for each in report.staged_mutations],
        "traces": report.traces,
    }


def _encode_mutation(mutation: VariableMutation) -> WireObject:
    """Values are text; an object is canonical JSON."""
    encoded: WireObject = {"kind": mutation.kind, "scope": mutation.scope, "key": mutation.key}
    if mutation.kind is MutationKind.SET:
        encoded["value"] = format_value(mutation.value)
    return encoded


def _drop_none(fields: WireObject) -> WireObject:
    return {name: value for name, value in fields.items() if value is not None}
