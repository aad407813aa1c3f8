"""Assembling a prompt, step by step."""

import dataclasses
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache

import msgspec

from yarrow.prompting.assembly.expand import PromptExpander
from yarrow.prompting.assembly.history import (
    PromptTurns,
    RegexRunner,
    build_turns,
    expand_greetings,
)
from yarrow.prompting.assembly.inputs import AssemblyInput, PromptRuntime
from yarrow.prompting.assembly.layout import (
    LayoutInput,
    PromptLayout,
    build_fallback_preset,
    build_layout,
)
from yarrow.prompting.assembly.lore import OutletTexts, join_outlet_texts
from yarrow.prompting.assembly.macro_values import (
    LazyMacroValues,
    history_values,
    speaker_names,
    static_values,
    text_to_continue,
)
from yarrow.prompting.assembly.parts import ExpandedBlock, ExpandedPrompt, TextKey
from yarrow.prompting.assembly.result import AssemblyResult, MacroPreview
from yarrow.prompting.assembly.state import AssemblyState, PromptDraft, SentPrompt
from yarrow.prompting.assembly.structure import shape_messages
from yarrow.prompting.assembly.trace import build_result
from yarrow.prompting.assembly.trim import (
    TokenAllowance,
    TrimUnit,
    compute_allowance,
    fit_to_budget,
    trimmable_units,
)
from yarrow.prompting.macros import MacroEnvironment, MacroRun
from yarrow.prompting.model import NAMELESS_USER, PromptMessage, PromptMode, PromptRole
from yarrow.prompting.preset import NamesBehavior, Preset, PromptIntent
from yarrow.prompting.regex_rules import RuleChannel, RulePlacement
from yarrow.prompting.worldbook import LoreScan, ScanRequest, ScanTools, SegmentKind, scan_books

_MAX_DRAFTS = 8


def assemble_until_stable(attempt: Callable[[Container[TextKey]], PromptDraft]) -> PromptDraft:
    """What is cut has not run: a prompt whose cut texts had effects is made again without them.

    A prompt that does not come to rest loses all texts that may be cut.
    """
    gone: dict[TextKey, TrimUnit] = {}
    made = attempt(gone)
    for left in reversed(range(_MAX_DRAFTS)):
        lost = [unit for unit in made.fitted.cut if unit.has_effects]
        if not lost:
            break
        gone |= {unit.key: unit for unit in (lost if left else trimmable_units(made.whole))}
        made = attempt(gone)
    if not gone:
        return made
    return msgspec.structs.replace(
        made, fitted=msgspec.structs.replace(made.fitted, cut=(*made.fitted.cut, *gone.values()))
    )


_BLANK_LINE = "\n\n"


def join_blocks(parts: Iterable[ExpandedBlock | PromptMessage]) -> list[PromptMessage]:
    """Neighbours of one role become one message, but turns of the history stay apart."""
    runs: list[list[ExpandedBlock | PromptMessage]] = []
    role, holds_turn = None, False
    for part in parts:
        is_turn = isinstance(part, PromptMessage)
        if part.role is role and not (holds_turn and is_turn):
            runs[-1].append(part)
            holds_turn = holds_turn or is_turn
        else:
            runs.append([part])
            role, holds_turn = part.role, is_turn
    return [_join_group(run) for run in runs]


def _join_group(run: list[ExpandedBlock | PromptMessage]) -> PromptMessage:
    first = run[0]
    if len(run) == 1 and isinstance(first, PromptMessage):
        return first
    texts = [part.content if isinstance(part, PromptMessage) else part.text for part in run]
    return PromptMessage(first.role, _BLANK_LINE.join(texts))


def with_speaker(text: str, role: PromptRole, speaker_names: Mapping[PromptRole, str]) -> str:
    """`Name: text`, unless the text begins so already or the speaker has no name."""
    name = speaker_names.get(role)
    if not name or text.startswith(f"{name}:"):
        return text
    return f"{name}: {text}"


_NO_LORE = LoreScan(active=(), cut=(), timers={}, warnings=())


class _PreparedInput(msgspec.Struct, frozen=True):
    """What stands ready once the history has been read."""

    preset: Preset
    turns: PromptTurns
    run: MacroRun
    ruling: RegexRunner
    values: LazyMacroValues


def assemble(given: AssemblyInput) -> AssemblyResult:
    """The messages for a model and how they came about.

    Raises `PromptTooLarge` when what may not be cut exceeds the budget.
    """
    given = dataclasses.replace(given, surroundings=_with_cached_count(given.surroundings))
    allowance = _token_allowance(given)
    stage = _prepare_input(given, allowance)
    lore = _scan_lore(given, stage, allowance)
    outlets = _apply_lore_rules(join_outlet_texts(lore.active), stage.ruling)
    stage.run.outlets = of_values = OutletTexts(outlets)
    layout = build_layout(_layout_input(given, stage, lore))
    turns = _history_messages(given, stage, layout)

    def attempt(left_out: Container[TextKey]) -> PromptDraft:
        run = stage.run.fork()
        run.outlets = asked = OutletTexts(outlets)
        prompt = PromptExpander(run, asked, stage.ruling, left_out).prompt(layout, turns)
        prefill = _expand_prefill(given, stage.preset, run)
        fitted = fit_to_budget(
            prompt,
            budget=allowance.max_input,
            count=given.surroundings.count,
            weigh=lambda one: _shape_prompt(given, one, prefill),
        )
        return PromptDraft(prompt, fitted, run, asked)

    made = assemble_until_stable(attempt)
    return build_result(
        AssemblyState(
            given=given,
            preset=stage.preset,
            allowance=allowance,
            turns=stage.turns,
            lore=lore,
            layout=layout,
            whole=made.whole,
            fitted=made.fitted,
            macros=made.run.report(),
            outlets=frozenset((*made.outlets.asked, *of_values.asked)),
        )
    )


def _with_cached_count(around: PromptRuntime) -> PromptRuntime:
    """The counter behind a memory of its own: within one assembly no text is asked for twice."""
    return dataclasses.replace(around, count=cache(around.count))


def _token_allowance(given: AssemblyInput) -> TokenAllowance:
    preset = given.assets.preset
    return compute_allowance(
        given.policy.budget,
        given.model,
        preset_context=preset.context_tokens if preset else None,
        preset_reply=preset.reply_tokens if preset else None,
    )


def _prepare_input(given: AssemblyInput, allowance: TokenAllowance) -> _PreparedInput:
    """Greetings run first: the chat began with them, and all texts see what they have written.

    Rules need macros to read the history, and macros need the history: so first without it.
    """
    run: MacroRun
    values = LazyMacroValues(
        static_values(given, max_input=allowance.max_input),
        lambda text, place: run.peek(text, place=place),
    )
    run = _start_macro_run(given, values)
    ruling = RegexRunner(
        rules=[rule for rule in given.assets.rules if not rule.disabled],
        regexes=given.surroundings.regexes,
        expand=lambda text: run.peek(text, place="regex"),
    )
    turns = build_turns(given, expand_greetings(given, run), ruling)
    values.learn(history_values(given, turns))
    preset = given.assets.preset or build_fallback_preset(given.assets.card, given.assets.persona)
    return _PreparedInput(preset, turns, run, ruling, values)


def _start_macro_run(given: AssemblyInput, values: Mapping[str, str | None]) -> MacroRun:
    around = given.surroundings
    environment = MacroEnvironment(
        values=values,
        local=given.variables.local,
        shared=given.variables.shared,
        stored=given.variables.stored,
        now=around.now,
        idle_since=given.session.idle_since,
        seed=around.seed,
        chat_id=around.chat_id,
        usual={"user": NAMELESS_USER},
    )
    return MacroRun(environment, phase=around.phase, limits=given.limits)


def preview_text(given: AssemblyInput, text: str) -> MacroPreview:
    """One text with its macros run, as a prompt of this session would run them."""
    stage = _prepare_input(given, _token_allowance(given))
    stage.run.forget_report()
    return MacroPreview(stage.run.expand(text, place="preview"), stage.run.report())


def _scan_lore(given: AssemblyInput, stage: _PreparedInput, allowance: TokenAllowance) -> LoreScan:
    if not given.assets.books or not given.policy.source_selection.worldbook:
        return _NO_LORE
    card, around = given.assets.card, given.surroundings
    request = ScanRequest(
        messages=[turn.content for turn in reversed(stage.turns.all)],
        sources=_scan_sources(given, stage.values),
        intent=given.message.intent.value,
        character_name=card.name if card else "",
        character_tags=card.tags if card else (),
        chat_length=len(given.history) + 1,
        timers=given.session.lore_timers,
        budget_tokens=allowance.lore_tokens(given.policy.budget.lore_percent),
        seed=around.seed,
    )
    tools = ScanTools(
        peek=lambda text, place: stage.run.peek(text, place=place),
        count=around.count,
        regexes=around.regexes,
    )
    return scan_books(given.assets.books, request, tools)


def _scan_sources(given: AssemblyInput, values: LazyMacroValues) -> Mapping[SegmentKind, str]:
    """Texts beside the chat that lore may look into."""
    depth_prompt = given.assets.card.depth_prompt if given.assets.card else None
    found = {
        SegmentKind.PERSONA_DESCRIPTION: values.get("persona"),
        SegmentKind.CHARACTER_DESCRIPTION: values.get("description"),
        SegmentKind.CHARACTER_PERSONALITY: values.get("personality"),
        SegmentKind.CHARACTER_DEPTH_PROMPT: depth_prompt.text if depth_prompt else None,
        SegmentKind.SCENARIO: values.get("scenario"),
        SegmentKind.CREATOR_NOTES: values.get("charcreatornotes"),
    }
    return {kind: text for kind, text in found.items() if text}


def _apply_lore_rules(texts: Mapping[str, str], ruling: RegexRunner) -> dict[str, str]:
    return {
        name: ruling(text, RulePlacement.WORLD_INFO, RuleChannel.PROMPT).text
        for name, text in texts.items()
    }


def _layout_input(given: AssemblyInput, stage: _PreparedInput, lore: LoreScan) -> LayoutInput:
    selection, note = given.policy.source_selection, given.session.note
    asked = [turn.role for turn in stage.turns.all].count(PromptRole.USER)
    return LayoutInput(
        preset=stage.preset,
        card=given.assets.card,
        persona=given.assets.persona,
        lore=lore.active,
        note=note if note.is_due(asked) else None,
        memory=given.memory_summary or "",
        memory_follows_opening=given.mode is PromptMode.COMPAT_STRICT,
        intent=given.message.intent,
        with_examples=selection.examples,
        continued=text_to_continue(stage.turns),
    )


def _history_messages(
    given: AssemblyInput, stage: _PreparedInput, layout: PromptLayout
) -> list[PromptMessage]:
    turns = stage.turns.all if layout.shows_history else (stage.turns.current,)
    if stage.preset.names is NamesBehavior.OFF:
        return [PromptMessage(turn.role, turn.content) for turn in turns]
    names = speaker_names(given)
    return [
        PromptMessage(turn.role, with_speaker(turn.content, turn.role, names)) for turn in turns
    ]


def _expand_prefill(given: AssemblyInput, preset: Preset, run: MacroRun) -> str:
    """How the answer is to begin; the last text of the prompt, so expanded last."""
    texts = preset.texts
    wanted = {
        PromptIntent.CONTINUE: texts.assistant_prefill,
        PromptIntent.IMPERSONATE: texts.assistant_impersonation,
    }.get(given.message.intent, "")
    return run.expand(wanted, place="preset:assistant_prefill") if wanted else ""


def _shape_prompt(given: AssemblyInput, prompt: ExpandedPrompt, prefill: str) -> SentPrompt:
    """The messages this prompt would be sent as."""
    policy, count = given.policy, given.surroundings.count
    joined = join_blocks(prompt.in_order())
    shaped = shape_messages(joined, policy.structure, policy.delivery, prefill=prefill)
    return SentPrompt(shaped, sum([count(message.content) for message in shaped.messages]))
