"""Prompts and their traces as clients read them."""

from typing import TypeAlias

from msgspec.structs import asdict

from yarrow.kit.json import JsonObject
from yarrow.prompting.assembly import (
    AssemblyResult,
    AssetStamp,
    HistoryTrace,
    PromptSnapshot,
    RuntimeTrace,
    StructureTrace,
    VisibilityTrace,
    WorldbookMatch,
    WorldbookTrace,
)
from yarrow.prompting.macros import MacroReport, MutationKind, VariableMutation, format_value
from yarrow.prompting.policy import ResolvedPolicy, StructureMode
from yarrow.stories.model import StoryState
from yarrow.stories.prompts import DryRun, PreviewRun

Shape: TypeAlias = JsonObject

_TRANSCRIPT_FIELDS = (
    "transcriptized",
    "transcript_message_count",
    "assistant_prefill_transcriptized",
)
_LIMITATIONS = {
    "variables_are_current": "Variables are those of now, not those of the source floor.",
}


def dry_run_shape(run: DryRun, *, with_matches: bool) -> Shape:
    made = run.assembly
    return {
        "messages": made.messages,
        "token_estimate": made.token_estimate,
        "available_for_reply": made.available_for_reply,
        "memory_summary": made.memory_summary,
        "prompt_snapshot": snapshot_shape(made.snapshot),
        "assembly": _diagnostics(made, with_matches=with_matches),
        "runtime_trace": trace_shape(made.trace, with_matches=with_matches),
    }


def preview_shape(run: PreviewRun, *, from_floor: bool) -> Shape:
    warnings = [warning.code.value for warning in run.preview.macro.warnings]
    return {
        "text": run.preview.text,
        "scope": _scope(run.state),
        **_policy(run.policy),
        "runtime_trace": {"macro": macro_shape(run.preview.macro)},
        "diagnostics": {"warning_codes": list(dict.fromkeys(warnings))},
        "limitations": list(_LIMITATIONS.values()) if from_floor else [],
    }


def _scope(state: StoryState) -> Shape:
    return {
        "session_id": str(state.session.session_id),
        "branch_id": state.branch,
        "local": "branch",
        "global": "global",
    }


def _policy(policy: ResolvedPolicy) -> Shape:
    return {"policy": policy.values, "source_map": policy.source_map}


def snapshot_shape(snapshot: PromptSnapshot) -> Shape:
    """The assets of a snapshot stand beside each other under their own names."""
    told = asdict(snapshot)
    assets = told.pop("assets")
    return {
        **_stamp("preset", assets.preset),
        **_stamp("worldbook", assets.worldbook),
        **_stamp("regex_profile", assets.regex_profile),
        **_stamp("character", assets.character),
        **told,
    }


def _stamp(name: str, stamp: AssetStamp) -> Shape:
    return {
        f"{name}_id": stamp.id,
        f"{name}_updated_at": stamp.updated_at,
        f"{name}_version": stamp.version,
    }


def _diagnostics(made: AssemblyResult, *, with_matches: bool) -> Shape:
    told = asdict(made.diagnostics)
    matches = told.pop("worldbook_matches")
    if with_matches:
        told["worldbook_matches"] = [match_shape(match) for match in matches]
    return told


def trace_shape(trace: RuntimeTrace, *, with_matches: bool) -> Shape:
    told = asdict(trace)
    told["worldbook"] = _worldbook(trace.worldbook, with_matches=with_matches)
    told["structure"] = _structure(trace.structure)
    told["macro"] = macro_shape(trace.macro)
    told["history_normalization"] = history_shape(trace.history_normalization)
    if trace.visibility is None:
        del told["visibility"]
    else:
        told["visibility"] = visibility_shape(trace.visibility)
    return told


def history_shape(trace: HistoryTrace) -> Shape:
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
            {"code": violation.code, "floor_ids": violation.turn_ids}
            for violation in trace.violations
        ],
    }


def visibility_shape(trace: VisibilityTrace) -> Shape:
    return {
        "mode": trace.mode,
        "filtered_floor_ids": trace.filtered_turn_ids,
        "filtered_message_count": trace.filtered_message_count,
    }


def _worldbook(trace: WorldbookTrace, *, with_matches: bool) -> Shape:
    told: Shape = {"hit_count": trace.hit_count}
    if with_matches:
        told["matches"] = [match_shape(match) for match in trace.matches]
    told["cut"] = trace.cut
    told["warnings"] = [
        {"code": one.code, "source": one.source, "uid": one.uid, "detail": one.detail}
        for one in trace.warnings
    ]
    return told


def match_shape(match: WorldbookMatch) -> Shape:
    """Where a fact does not apply, its field is left out."""
    first = match.activation.first_match
    return asdict(match) | {
        "activation": {
            "mode": match.activation.mode,
            "recursion_level": match.activation.recursion_level,
            "first_match": None if first is None else _without_none(asdict(first)),
        },
    }


def _structure(trace: StructureTrace) -> Shape:
    told = asdict(trace)
    if trace.mode is not StructureMode.FLATTENED:
        for name in _TRANSCRIPT_FIELDS:
            told.pop(name, None)
    return _without_none(told)


def macro_shape(report: MacroReport) -> Shape:
    return {
        "warnings": report.warnings,
        "used_names": report.used_names,
        "mutation_preview": [_mutation(one) for one in report.mutation_preview],
        "staged_mutations": [_mutation(one) for one in report.staged_mutations],
        "traces": report.traces,
    }


def _mutation(mutation: VariableMutation) -> Shape:
    """Values are told as text; an object as stable JSON."""
    told: Shape = {"kind": mutation.kind, "scope": mutation.scope, "key": mutation.key}
    if mutation.kind is MutationKind.SET:
        told["value"] = format_value(mutation.value)
    return told


def _without_none(told: Shape) -> Shape:
    return {name: value for name, value in told.items() if value is not None}
