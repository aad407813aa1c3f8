"""Assemble a prompt: scan lore, lay texts out, expand macros, trim to the token budget."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from yarrow.prompting.assembly.expand import PromptExpander
from yarrow.prompting.assembly.history import (
    PromptTurns,
    RegexRunner,
    build_turns,
    expand_greetings,
    name_turns,
)
from yarrow.prompting.assembly.inputs import AssemblyInput, AuthorsNote, PromptRuntime
from yarrow.prompting.assembly.layout import (
    LayoutInput,
    PromptLayout,
    build_fallback_preset,
    build_layout,
)
from yarrow.prompting.assembly.lore import OutletTexts, join_outlet_texts
from yarrow.prompting.assembly.macro_values import (
    LazyMacroValues,
    build_history_values,
    build_static_values,
    find_speaker_names,
    find_text_to_continue,
)
from yarrow.prompting.assembly.parts import ExpandedBlock, ExpandedPrompt, TextKey
from yarrow.prompting.assembly.place_memories import MemoryChooser, RememberedPrompt
from yarrow.prompting.assembly.result import AssemblyResult, MacroPreview
from yarrow.prompting.assembly.state import AssemblyState, PromptDraft, SentPrompt
from yarrow.prompting.assembly.structure import shape_messages
from yarrow.prompting.assembly.trace import build_result
from yarrow.prompting.assembly.trim import (
    TokenAllowance,
    TrimUnit,
    compute_allowance,
    fit_to_budget,
    list_trimmable_units,
)
from yarrow.prompting.errors import UserMessageErased
from yarrow.prompting.macros import MacroEnvironment, MacroRun
from yarrow.prompting.model import NAMELESS_USER, PromptMessage, PromptMode, PromptRole
from yarrow.prompting.preset import Preset, PromptIntent
from yarrow.prompting.regex_rules import RuleChannel, RuleOutcome, RulePlacement
from yarrow.prompting.worldbook import (
    LoreScan,
    ScanRequest,
    ScanTools,
    SegmentKind,
    scan_books,
)

_MAX_DRAFTS = 8
_BLANK_LINE = "\n\n"
_NO_LORE = LoreScan(active=(), cut=(), timers={}, warnings=())


class _PreparedInput(Struct, frozen=True):
    """What later steps need, available once the history has been read."""

    preset: Preset
    turns: PromptTurns
    run: MacroRun
    runner: RegexRunner
    values: LazyMacroValues


def assemble(inputs: AssemblyInput) -> AssemblyResult:
    """Build the messages for a model, with a trace of how they came about.

    Raises `PromptTooLarge` when the parts that may not be cut exceed the budget, and
    `UserMessageErased` when regex rules leave nothing of the message.
    """
    inputs = replace(inputs, runtime=_cache_count(inputs.runtime))
    allowance = _compute_token_allowance(inputs)
    memory = MemoryChooser(inputs, allowance.max_input)
    prepared = _prepare_input(memory.start(), allowance)
    if inputs.message.text.strip() and not prepared.turns.current.content.strip():
        raise UserMessageErased
    lore = _scan_lore(inputs, prepared, allowance)
    outlets = _apply_lore_rules(join_outlet_texts(lore.active), prepared.runner)
    # Macro values are expanded outside of any draft, so they record their outlets separately.
    prepared.run.outlets = value_outlets = OutletTexts(outlets)

    def make_prompt(inputs: AssemblyInput) -> tuple[PromptLayout, PromptDraft]:
        prepared.values.add_values({"summary": inputs.memory_summary})
        layout = build_layout(_build_layout_input(inputs, prepared, lore))
        messages = _list_history_messages(inputs, prepared, layout)
        return layout, assemble_until_stable(partial(make_draft, layout, messages))

    def make_draft(
        layout: PromptLayout, messages: Sequence[PromptMessage], excluded: Container[TextKey]
    ) -> PromptDraft:
        run = prepared.run.fork()
        run.outlets = draft_outlets = OutletTexts(outlets)
        expander = PromptExpander(run, draft_outlets, prepared.runner, excluded)
        prompt = expander.expand_layout(layout, messages)
        prefill = _expand_prefill(inputs, prepared.preset, run)
        fitted = fit_to_budget(
            prompt,
            budget=allowance.max_input,
            count=inputs.runtime.count,
            measure=lambda candidate: _shape_prompt(inputs, candidate, prefill),
        )
        return PromptDraft(prompt, fitted, run, draft_outlets)

    remembered = memory.make_prompt(prepared.turns.all, make_prompt)
    used = frozenset((*remembered.draft.outlets.used, *value_outlets.used))
    return build_result(_collect_state(remembered, prepared, allowance, lore, used))


def _collect_state(
    remembered: RememberedPrompt,
    prepared: _PreparedInput,
    allowance: TokenAllowance,
    lore: LoreScan,
    outlets: frozenset[str],
) -> AssemblyState:
    return AssemblyState(
        inputs=remembered.inputs,
        preset=prepared.preset,
        allowance=allowance,
        turns=prepared.turns,
        lore=lore,
        layout=remembered.layout,
        untrimmed=remembered.draft.untrimmed,
        fitted=remembered.draft.fitted,
        macros=remembered.draft.run.report(),
        outlets=outlets,
        memory=remembered.memory,
    )


def assemble_until_stable(
    make_draft: Callable[[Container[TextKey]], PromptDraft],
) -> PromptDraft:
    """Re-assemble until no trimmed text had side effects (variable writes, outlet use).

    Each round excludes the trimmed texts that had effects. If the last round still finds some, it
    excludes every text that may be cut, which is stable.
    """
    excluded: dict[TextKey, TrimUnit] = {}
    draft = make_draft(excluded)
    for rounds_left in reversed(range(_MAX_DRAFTS)):
        offending = [unit for unit in draft.fitted.cut if unit.has_effects]
        if not offending:
            break
        units = offending if rounds_left else list_trimmable_units(draft.untrimmed)
        excluded |= {unit.key: unit for unit in units}
        draft = make_draft(excluded)
    if not excluded:
        return draft
    cut = (*draft.fitted.cut, *excluded.values())
    return replace(draft, fitted=replace(draft.fitted, cut=cut))


def preview_text(inputs: AssemblyInput, text: str) -> MacroPreview:
    """Expand one text with the macros and variables of this session's prompt."""
    allowance = _compute_token_allowance(inputs)
    prepared = _prepare_input(MemoryChooser(inputs, allowance.max_input).start(), allowance)
    if inputs.session.memories and "summary" in text.lower():
        prepared.values.add_values({"summary": assemble(inputs).memory_summary})
    prepared.run.reset_report()
    return MacroPreview(prepared.run.expand(text, place="preview"), prepared.run.report())


def rewrite_reply(inputs: AssemblyInput, reply: str) -> RuleOutcome:
    """Apply the regex rules for storage to the model's reply."""
    values = LazyMacroValues(
        build_static_values(inputs, max_input=_compute_token_allowance(inputs).max_input),
        lambda text, place: run.peek(text, place=place),
    )
    run = _start_macro_run(inputs, values)
    rules = [rule for rule in inputs.assets.rules if not rule.disabled]
    runner = RegexRunner(rules, inputs.runtime.regexes, lambda text: run.peek(text, place="regex"))
    return runner.apply(reply, RulePlacement.AI_OUTPUT, RuleChannel.PERSIST)


def rewrites_replies(inputs: AssemblyInput) -> bool:
    """Whether a regex rule for storage applies to replies at all."""
    return any(
        RulePlacement.AI_OUTPUT in rule.placements
        and not (rule.disabled or rule.markdown_only or rule.prompt_only)
        for rule in inputs.assets.rules
    )


def join_blocks(parts: Iterable[ExpandedBlock | PromptMessage]) -> list[PromptMessage]:
    """Join neighbours of one role into one message; two history messages are never joined."""
    messages: list[PromptMessage] = []
    role, texts, has_message = PromptRole.SYSTEM, list[str](), False
    for part in parts:
        is_message = isinstance(part, PromptMessage)
        text = part.content if isinstance(part, PromptMessage) else part.text
        if part.role is role and not (has_message and is_message):
            texts.append(text)
            has_message = has_message or is_message
        else:
            if texts:
                messages.append(PromptMessage(role, _BLANK_LINE.join(texts)))
            role, texts, has_message = part.role, [text], is_message
    return [*messages, PromptMessage(role, _BLANK_LINE.join(texts))] if texts else messages


def _cache_count(runtime: PromptRuntime) -> PromptRuntime:
    """Cache token counts for this assembly: trimming counts the same texts repeatedly."""
    return replace(runtime, count=cache(runtime.count))


def _compute_token_allowance(inputs: AssemblyInput) -> TokenAllowance:
    preset = inputs.assets.preset
    return compute_allowance(
        inputs.policy.budget,
        inputs.model,
        preset_context=preset.context_tokens if preset else None,
        preset_reply=preset.reply_tokens if preset else None,
    )


def _prepare_input(inputs: AssemblyInput, allowance: TokenAllowance) -> _PreparedInput:
    """Start the macro run and read the history.

    Greetings are expanded first: the chat began with them, and all other texts see the variables
    they wrote. Regex rules on the history need macros, and some macros need the history: the run
    starts without history values, which are added at the end.
    """
    run: MacroRun
    values = LazyMacroValues(
        build_static_values(inputs, max_input=allowance.max_input),
        lambda text, place: run.peek(text, place=place),
    )
    run = _start_macro_run(inputs, values)
    runner = RegexRunner(
        rules=[rule for rule in inputs.assets.rules if not rule.disabled],
        regexes=inputs.runtime.regexes,
        expand=lambda text: run.peek(text, place="regex"),
    )
    assets = inputs.assets
    preset = assets.preset or build_fallback_preset(assets.card, assets.persona)
    own_name = find_speaker_names(inputs)[PromptRole.ASSISTANT]
    turns = build_turns(
        inputs, expand_greetings(inputs, run), runner, names=preset.names, own_name=own_name
    )
    values.add_values(build_history_values(inputs, turns))
    return _PreparedInput(preset, turns, run, runner, values)


def _start_macro_run(inputs: AssemblyInput, values: Mapping[str, str | None]) -> MacroRun:
    runtime = inputs.runtime
    environment = MacroEnvironment(
        values=values,
        local=inputs.variables.local,
        shared=inputs.variables.shared,
        stored=inputs.variables.stored,
        now=runtime.now,
        idle_since=inputs.session.idle_since,
        seed=runtime.seed,
        chat_id=runtime.chat_id,
        defaults={"user": NAMELESS_USER},
    )
    return MacroRun(environment, phase=runtime.phase, limits=inputs.limits)


def _scan_lore(
    inputs: AssemblyInput, prepared: _PreparedInput, allowance: TokenAllowance
) -> LoreScan:
    if not inputs.assets.books or not inputs.policy.source_selection.worldbook:
        return _NO_LORE
    card, runtime = inputs.assets.card, inputs.runtime
    request = ScanRequest(
        messages=[turn.content for turn in reversed(prepared.turns.all)],
        sources=_scan_sources(inputs, prepared.values),
        intent=inputs.message.intent.value,
        character_name=card.name if card else "",
        character_tags=card.tags if card else (),
        chat_length=len(inputs.history) + 1,
        timers=inputs.session.lore_timers,
        budget_tokens=allowance.lore_tokens(inputs.policy.budget.lore_percent),
        seed=runtime.seed,
    )
    tools = ScanTools(
        peek=lambda text, place: prepared.run.peek(text, place=place),
        count=runtime.count,
        regexes=runtime.regexes,
    )
    return scan_books(inputs.assets.books, request, tools)


def _scan_sources(inputs: AssemblyInput, values: LazyMacroValues) -> Mapping[SegmentKind, str]:
    """Texts beside the chat in which an entry may ask to look for its keys."""
    depth_prompt = inputs.assets.card.depth_prompt if inputs.assets.card else None
    texts = {
        SegmentKind.PERSONA_DESCRIPTION: values.get("persona"),
        SegmentKind.CHARACTER_DESCRIPTION: values.get("description"),
        SegmentKind.CHARACTER_PERSONALITY: values.get("personality"),
        SegmentKind.CHARACTER_DEPTH_PROMPT: depth_prompt.text if depth_prompt else None,
        SegmentKind.SCENARIO: values.get("scenario"),
        SegmentKind.CREATOR_NOTES: values.get("charcreatornotes"),
    }
    return {kind: text for kind, text in texts.items() if text}


def _apply_lore_rules(texts: Mapping[str, str], runner: RegexRunner) -> dict[str, str]:
    return {
        name: runner.apply(text, RulePlacement.WORLD_INFO, RuleChannel.PROMPT).text
        for name, text in texts.items()
    }


def _build_layout_input(
    inputs: AssemblyInput, prepared: _PreparedInput, lore: LoreScan
) -> LayoutInput:
    sources, note = inputs.policy.source_selection, inputs.session.note
    return LayoutInput(
        preset=prepared.preset,
        card=inputs.assets.card,
        persona=inputs.assets.persona,
        lore=lore.active,
        note=note if _is_due(note, prepared.turns) else None,
        memory=inputs.memory_summary or "",
        memory_follows_opening=inputs.mode is PromptMode.COMPAT_STRICT,
        intent=inputs.message.intent,
        with_examples=sources.examples,
        continued=find_text_to_continue(prepared.turns),
    )


def _is_due(note: AuthorsNote, turns: PromptTurns) -> bool:
    """Whether the note is sent; most are with every message, and a history can be long."""
    if note.interval == 1:
        return True
    return note.is_due([turn.role for turn in turns.all].count(PromptRole.USER))


def _list_history_messages(
    inputs: AssemblyInput, prepared: _PreparedInput, layout: PromptLayout
) -> Sequence[PromptMessage]:
    turns = prepared.turns.all if layout.shows_history else (prepared.turns.current,)
    return name_turns(
        turns, prepared.preset.names, find_speaker_names(inputs), is_group=prepared.turns.is_group
    )


def _expand_prefill(inputs: AssemblyInput, preset: Preset, run: MacroRun) -> str:
    """Expand the start of the answer; it is the last text of the prompt, so expanded last."""
    texts = preset.texts
    prefill = {
        PromptIntent.CONTINUE: texts.assistant_prefill,
        PromptIntent.IMPERSONATE: texts.assistant_impersonation,
    }.get(inputs.message.intent, "")
    return run.expand(prefill, place="preset:assistant_prefill") if prefill else ""


def _shape_prompt(inputs: AssemblyInput, prompt: ExpandedPrompt, prefill: str) -> SentPrompt:
    """Build the messages this prompt would be sent as, and count their tokens."""
    policy, count = inputs.policy, inputs.runtime.count
    joined = join_blocks(prompt.iter_in_order())
    shaped = shape_messages(joined, policy.structure, policy.delivery, prefill=prefill)
    return SentPrompt(shaped, sum([count(message.content) for message in shaped.messages]))
