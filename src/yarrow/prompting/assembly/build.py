"""Assembling a prompt, step by step."""

import dataclasses
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cache

import msgspec

from yarrow.prompting.assembly.expand import Expander
from yarrow.prompting.assembly.history import Ruling, Turns, greeted, read_turns
from yarrow.prompting.assembly.inputs import AssemblyInput, Surroundings
from yarrow.prompting.assembly.layout import Layout, Material, fallback_preset, lay_out
from yarrow.prompting.assembly.lore import Outlets, outlet_texts
from yarrow.prompting.assembly.macro_values import (
    AuthoredValues,
    continued_text,
    history_values,
    speakers,
    standing_values,
)
from yarrow.prompting.assembly.parts import Part, Prompt, TextKey
from yarrow.prompting.assembly.result import Assembly, Preview
from yarrow.prompting.assembly.state import Attempt, Sent, Story
from yarrow.prompting.assembly.structure import shape
from yarrow.prompting.assembly.trace import tell
from yarrow.prompting.assembly.trim import Allowance, Unit, allow, cuttable, fit
from yarrow.prompting.macros import MacroEnvironment, MacroRun
from yarrow.prompting.model import NAMELESS_USER, PromptMessage, PromptMode, Role
from yarrow.prompting.preset import NamesBehavior, Preset, PromptIntent
from yarrow.prompting.regex_rules import Channel, Placement
from yarrow.prompting.worldbook import LoreScan, ScanRequest, ScanTools, SegmentKind, scan

_MAX_DRAFTS = 8


def settle(attempt: Callable[[Container[TextKey]], Attempt]) -> Attempt:
    """What is cut has not run: a prompt whose cut texts had effects is made again without them.

    A prompt that does not come to rest loses all texts that may be cut.
    """
    gone: dict[TextKey, Unit] = {}
    made = attempt(gone)
    for left in reversed(range(_MAX_DRAFTS)):
        lost = [unit for unit in made.fitted.cut if unit.has_effects]
        if not lost:
            break
        gone |= {unit.key: unit for unit in (lost if left else cuttable(made.whole))}
        made = attempt(gone)
    if not gone:
        return made
    return msgspec.structs.replace(
        made, fitted=msgspec.structs.replace(made.fitted, cut=(*made.fitted.cut, *gone.values()))
    )


_BLANK_LINE = "\n\n"


def join_parts(parts: Iterable[Part | PromptMessage]) -> list[PromptMessage]:
    """Neighbours of one role become one message, but turns of the history stay apart."""
    runs: list[list[Part | PromptMessage]] = []
    role, holds_turn = None, False
    for part in parts:
        is_turn = isinstance(part, PromptMessage)
        if part.role is role and not (holds_turn and is_turn):
            runs[-1].append(part)
            holds_turn = holds_turn or is_turn
        else:
            runs.append([part])
            role, holds_turn = part.role, is_turn
    return [_joined(run) for run in runs]


def _joined(run: list[Part | PromptMessage]) -> PromptMessage:
    first = run[0]
    if len(run) == 1 and isinstance(first, PromptMessage):
        return first
    texts = [part.content if isinstance(part, PromptMessage) else part.text for part in run]
    return PromptMessage(first.role, _BLANK_LINE.join(texts))


def named(text: str, role: Role, speakers: Mapping[Role, str]) -> str:
    """`Name: text`, unless the text begins so already or the speaker has no name."""
    name = speakers.get(role)
    if not name or text.startswith(f"{name}:"):
        return text
    return f"{name}: {text}"


_NO_LORE = LoreScan(active=(), cut=(), timers={}, warnings=())


class _Stage(msgspec.Struct, frozen=True):
    """What stands ready once the history has been read."""

    preset: Preset
    turns: Turns
    run: MacroRun
    ruling: Ruling
    values: AuthoredValues


def assemble(given: AssemblyInput) -> Assembly:
    """The messages for a model and how they came about.

    Raises `PromptTooLarge` when what may not be cut exceeds the budget.
    """
    given = dataclasses.replace(given, surroundings=_remembering(given.surroundings))
    allowance = _allowance(given)
    stage = _set_up(given, allowance)
    lore = _scan(given, stage, allowance)
    outlets = _ruled(outlet_texts(lore.active), stage.ruling)
    stage.run.outlets = of_values = Outlets(outlets)
    layout = lay_out(_material(given, stage, lore))
    turns = _turns(given, stage, layout)

    def attempt(left_out: Container[TextKey]) -> Attempt:
        run = stage.run.fork()
        run.outlets = asked = Outlets(outlets)
        prompt = Expander(run, asked, stage.ruling, left_out).prompt(layout, turns)
        prefill = _prefill(given, stage.preset, run)
        fitted = fit(
            prompt,
            budget=allowance.max_input,
            count=given.surroundings.count,
            weigh=lambda one: _send(given, one, prefill),
        )
        return Attempt(prompt, fitted, run, asked)

    made = settle(attempt)
    return tell(
        Story(
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


def _remembering(around: Surroundings) -> Surroundings:
    """The counter behind a memory of its own: within one assembly no text is asked for twice."""
    return dataclasses.replace(around, count=cache(around.count))


def _allowance(given: AssemblyInput) -> Allowance:
    preset = given.assets.preset
    return allow(
        given.policy.budget,
        given.model,
        preset_context=preset.context_tokens if preset else None,
        preset_reply=preset.reply_tokens if preset else None,
    )


def _set_up(given: AssemblyInput, allowance: Allowance) -> _Stage:
    """Greetings run first: the chat began with them, and all texts see what they have written.

    Rules need macros to read the history, and macros need the history: so first without it.
    """
    run: MacroRun
    values = AuthoredValues(
        standing_values(given, max_input=allowance.max_input),
        lambda text, place: run.peek(text, place=place),
    )
    run = _macro_run(given, values)
    ruling = Ruling(
        rules=[rule for rule in given.assets.rules if not rule.disabled],
        regexes=given.surroundings.regexes,
        expand=lambda text: run.peek(text, place="regex"),
    )
    turns = read_turns(given, greeted(given, run), ruling)
    values.learn(history_values(given, turns))
    preset = given.assets.preset or fallback_preset(given.assets.card, given.assets.persona)
    return _Stage(preset, turns, run, ruling, values)


def _macro_run(given: AssemblyInput, values: Mapping[str, str | None]) -> MacroRun:
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


def preview(given: AssemblyInput, text: str) -> Preview:
    """One text with its macros run, as a prompt of this session would run them."""
    stage = _set_up(given, _allowance(given))
    stage.run.forget_report()
    return Preview(stage.run.expand(text, place="preview"), stage.run.report())


def _scan(given: AssemblyInput, stage: _Stage, allowance: Allowance) -> LoreScan:
    if not given.assets.books or not given.policy.source_selection.worldbook:
        return _NO_LORE
    card, around = given.assets.card, given.surroundings
    request = ScanRequest(
        messages=[turn.content for turn in reversed(stage.turns.all)],
        sources=_sources(given, stage.values),
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
    return scan(given.assets.books, request, tools)


def _sources(given: AssemblyInput, values: AuthoredValues) -> Mapping[SegmentKind, str]:
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


def _ruled(texts: Mapping[str, str], ruling: Ruling) -> dict[str, str]:
    return {
        name: ruling(text, Placement.WORLD_INFO, Channel.PROMPT).text
        for name, text in texts.items()
    }


def _material(given: AssemblyInput, stage: _Stage, lore: LoreScan) -> Material:
    selection, note = given.policy.source_selection, given.session.note
    asked = [turn.role for turn in stage.turns.all].count(Role.USER)
    return Material(
        preset=stage.preset,
        card=given.assets.card,
        persona=given.assets.persona,
        lore=lore.active,
        note=note if note.is_due(asked) else None,
        memory=given.memory_summary or "",
        memory_follows_opening=given.mode is PromptMode.COMPAT_STRICT,
        intent=given.message.intent,
        with_examples=selection.examples,
        continued=continued_text(stage.turns),
    )


def _turns(given: AssemblyInput, stage: _Stage, layout: Layout) -> list[PromptMessage]:
    turns = stage.turns.all if layout.shows_history else (stage.turns.current,)
    if stage.preset.names is NamesBehavior.OFF:
        return [PromptMessage(turn.role, turn.content) for turn in turns]
    names = speakers(given)
    return [PromptMessage(turn.role, named(turn.content, turn.role, names)) for turn in turns]


def _prefill(given: AssemblyInput, preset: Preset, run: MacroRun) -> str:
    """How the answer is to begin; the last text of the prompt, so expanded last."""
    texts = preset.texts
    wanted = {
        PromptIntent.CONTINUE: texts.assistant_prefill,
        PromptIntent.IMPERSONATE: texts.assistant_impersonation,
    }.get(given.message.intent, "")
    return run.expand(wanted, place="preset:assistant_prefill") if wanted else ""


def _send(given: AssemblyInput, prompt: Prompt, prefill: str) -> Sent:
    """The messages this prompt would be sent as."""
    policy, count = given.policy, given.surroundings.count
    joined = join_parts(prompt.in_order())
    shaped = shape(joined, policy.structure, policy.delivery, prefill=prefill)
    return Sent(shaped, sum([count(message.content) for message in shaped.messages]))
