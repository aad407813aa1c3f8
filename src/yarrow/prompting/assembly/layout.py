"""Where everything stands: a preset's track, turned into drafts around the history."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from yarrow.prompting.assembly.inputs import AuthorsNote, NotePlace
from yarrow.prompting.assembly.lore import lore_in_chat, lore_texts
from yarrow.prompting.assembly.parts import (
    EXAMPLES,
    MEMORY,
    WORLDBOOK,
    CutStage,
    Draft,
    Injection,
    Text,
    section,
)
from yarrow.prompting.model import Card, Persona, Role
from yarrow.prompting.preset import PresetReport
from yarrow.prompting.preset.model import (
    JAILBREAK,
    MAIN,
    Entry,
    InChat,
    Marker,
    Preset,
    PromptIntent,
)
from yarrow.prompting.worldbook import ActiveEntry, Position

_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)


class Overridden(msgspec.Struct, frozen=True):
    """Entries with the card's texts in them, and the texts for which there was no entry."""

    entries: tuple[Entry, ...]
    system_prompt: str = ""
    post_history: str = ""


def override(entries: Sequence[Entry], card: Card | None) -> Overridden:
    """Put the card's texts into `main` and `jailbreak`, unless these forbid it.

    An entry that is switched off stays off, with the card's text in it.
    """
    if card is None:
        return Overridden(tuple(entries))
    texts = {
        MAIN: card.system_prompt,
        JAILBREAK: card.post_history,
    }
    present = {entry.identifier for entry in entries}
    return Overridden(
        entries=tuple(_overridden(entry, texts.get(entry.identifier, "")) for entry in entries),
        system_prompt="" if MAIN in present else with_original(card.system_prompt, ""),
        post_history="" if JAILBREAK in present else with_original(card.post_history, ""),
    )


def with_original(text: str, original: str) -> str:
    """The text with `{{original}}` filled in: once, as SillyTavern does; later ones are blank.

    Filled in before macros run, so that the original's own macros run in their place.
    """
    match = _ORIGINAL.search(text)
    if match is None:
        return text
    return text[: match.start()] + original + _ORIGINAL.sub("", text[match.end() :])


def _overridden(entry: Entry, text: str) -> Entry:
    if entry.forbids_overrides or not text.strip():
        return entry
    return replace(entry, content=with_original(text, entry.content))


_START = re.compile(r"<START>", re.IGNORECASE)


def example_blocks(examples: str, separator: str) -> tuple[str, ...]:
    """The dialogues of a card, each under the preset's separator, else as the card has them."""
    if not examples.strip():
        return ()
    opening, *dialogues = _START.split(examples)
    bodies = [("", opening), *(("<START>", dialogue) for dialogue in dialogues)]
    return tuple(
        f"{separator}\n{body.strip()}" if separator.strip() else f"{mark}{body}".strip()
        for mark, body in bodies
        if body.strip()
    )


DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant. Answer in the language of the user."

_TRACK = (
    Marker.LORE_BEFORE,
    Marker.DESCRIPTION,
    Marker.PERSONALITY,
    Marker.PERSONA,
    Marker.LORE_AFTER,
    Marker.HISTORY,
)


def fallback_preset(card: Card | None, persona: Persona | None) -> Preset:
    """The preset of a session that has none; it says nothing about tokens."""
    known = [persona.description] if persona else []
    if card is not None:
        known += [card.description, card.personality]
    opening = () if any(text.strip() for text in known) else (_GENERIC,)
    markers = tuple(Entry(identifier=marker.value, marker=marker) for marker in _TRACK)
    return Preset(entries=(*opening, *markers), report=PresetReport())


_GENERIC = Entry(identifier=MAIN, content=DEFAULT_SYSTEM_PROMPT)
NUDGE = "continue_nudge_prompt"


class Material(msgspec.Struct, frozen=True):
    """What stands ready for the markers of a preset."""

    preset: Preset
    card: Card | None
    persona: Persona | None
    lore: Sequence[ActiveEntry]
    note: AuthorsNote | None
    memory: str
    memory_follows_opening: bool
    intent: PromptIntent
    with_examples: bool
    continued: str


@dataclass(slots=True)
class Layout:
    """Drafts before, inside and after the history, and what was noticed on the way."""

    before: list[Draft] = field(default_factory=list)
    injections: list[Injection] = field(default_factory=list)
    after: list[Draft] = field(default_factory=list)
    trigger_filtered: list[str] = field(default_factory=list)
    in_chat: list[str] = field(default_factory=list)
    has_passed_history: bool = False
    shows_history: bool = True

    def add(self, draft: Draft) -> None:
        (self.after if self.has_passed_history else self.before).append(draft)

    def placed_lore(self) -> set[int]:
        """The numbers of the active entries that have a place."""
        drafts = (*self.before, *(one.draft for one in self.injections), *self.after)
        return {text.lore for draft in drafts for text in draft.texts if text.lore is not None}


def lay_out(given: Material) -> Layout:
    """Walk the track and put every text where it belongs."""
    layout = Layout()
    texts = override(given.preset.entries, given.card)
    for entry in texts.entries:
        is_meant = entry.is_meant_for(given.intent)
        if entry.is_enabled and not is_meant:
            layout.trigger_filtered.append(entry.identifier)
        is_used = entry.is_enabled and is_meant
        if entry.marker is Marker.HISTORY:
            layout.shows_history = is_used
            _pass_history(given, layout)
        elif is_used:
            _place(entry, given, layout)
    if not layout.has_passed_history:
        _pass_history(given, layout)
    _add_asides(given, texts, layout)
    return layout


def _place(entry: Entry, given: Material, layout: Layout) -> None:
    draft = _draft(entry, given)
    if entry.in_chat is None:
        layout.add(draft)
    else:
        layout.injections.append(Injection(entry.in_chat, draft))
        layout.in_chat.append(entry.identifier)


def _pass_history(given: Material, layout: Layout) -> None:
    if not given.memory_follows_opening:
        layout.add(_memory(given))
    layout.has_passed_history = True
    if given.intent is PromptIntent.CONTINUE:
        layout.add(_nudge(given))


def _add_asides(given: Material, texts: Overridden, layout: Layout) -> None:
    """What no entry of the track has asked for."""
    opening = _opening_length(layout.before)
    layout.before.insert(opening, _card("system_prompt", texts.system_prompt))
    if given.memory_follows_opening:
        layout.before.insert(opening + 1, _memory(given))
    _add_note(given, layout)
    if layout.shows_history:
        layout.before.append(_own("new_chat_prompt", given.preset.texts.new_chat))
    layout.injections.extend(lore_in_chat(given.lore))
    _add_depth_prompt(given, layout)
    layout.after.append(_card("post_history", texts.post_history))
    names = {entry.identifier for entry in given.preset.entries}
    if given.intent is PromptIntent.IMPERSONATE and "impersonate" not in names:
        layout.after.append(_own("impersonation_prompt", given.preset.texts.impersonation))


def _opening_length(drafts: Sequence[Draft]) -> int:
    """How many drafts the first message will be made of."""
    for at, draft in enumerate(drafts):
        if draft.role is not drafts[0].role:
            return at
    return len(drafts)


def _add_note(given: Material, layout: Layout) -> None:
    if given.note is None:
        return
    note = given.note
    texts = (
        *lore_texts(given.lore, Position.AN_TOP),
        Text(note.text, "session:authors_note"),
        *lore_texts(given.lore, Position.AN_BOTTOM),
    )
    draft = Draft(note.role, section("authorsNote"), texts)
    if note.place is NotePlace.IN_CHAT:
        layout.injections.append(Injection(InChat(note.depth), draft))
        return
    main = next((at for at, one in enumerate(layout.before) if one.group == section(MAIN)), 0)
    layout.before.insert(main + (note.place is NotePlace.AFTER_MAIN), draft)


def _add_depth_prompt(given: Material, layout: Layout) -> None:
    prompt = given.card.depth_prompt if given.card else None
    if prompt is not None:
        draft = Draft(
            prompt.role, section("depthPrompt"), (Text(prompt.text, "card:depth_prompt"),)
        )
        layout.injections.append(Injection(InChat(max(0, prompt.depth)), draft))


def _draft(entry: Entry, given: Material) -> Draft:
    """The texts an entry stands for."""
    role, card = entry.role, given.card or Card("")
    texts = given.preset.texts
    match entry.marker:
        case None | Marker.HISTORY:
            text = Text(entry.content, f"preset:{entry.identifier}")
        case Marker.LORE_BEFORE:
            lore = lore_texts(given.lore, Position.BEFORE)
            return Draft(role, WORLDBOOK, lore, frame=texts.lore_format)
        case Marker.LORE_AFTER:
            lore = lore_texts(given.lore, Position.AFTER)
            return Draft(role, WORLDBOOK, lore, frame=texts.lore_format)
        case Marker.EXAMPLES:
            return Draft(role, EXAMPLES, _examples(given))
        case Marker.DESCRIPTION:
            text = Text(card.description, "card:description")
        case Marker.PERSONALITY:
            text = _formatted(card.personality, texts.personality_format, "personality")
        case Marker.SCENARIO:
            text = _formatted(card.scenario, texts.scenario_format, "scenario")
        case Marker.PERSONA:
            text = Text(given.persona.description if given.persona else "", "persona:description")
    return Draft(role, section(entry.identifier), (text,))


def _examples(given: Material) -> tuple[Text, ...]:
    examples = given.card.examples if given.card and given.with_examples else ""
    blocks = example_blocks(examples, given.preset.texts.new_example)
    return (
        *lore_texts(given.lore, Position.EM_TOP),
        *(
            Text(block, f"card:examples:{at}", stage=CutStage.EXAMPLES, rank=at)
            for at, block in enumerate(blocks)
        ),
        *lore_texts(given.lore, Position.EM_BOTTOM),
    )


def _formatted(text: str, frame: str, name: str) -> Text:
    """A card's field inside the preset's format, which names it as a macro."""
    wanted = "{{" + name + "}}"
    is_framed = bool(text.strip()) and wanted in frame
    return Text(frame.replace(wanted, text) if is_framed else text, f"card:{name}")


def _nudge(given: Material) -> Draft:
    said = {"lastmessage": given.continued, "lastchatmessage": given.continued}
    text = Text(given.preset.texts.continue_nudge, f"preset:{NUDGE}", values=said)
    return Draft(Role.SYSTEM, section(NUDGE), (text,))


def _own(name: str, text: str) -> Draft:
    return Draft(Role.SYSTEM, section(name), (Text(text, f"preset:{name}"),))


def _card(name: str, text: str) -> Draft:
    return Draft(Role.SYSTEM, section(f"card.{name}"), (Text(text, f"card:{name}"),))


def _memory(given: Material) -> Draft:
    return Draft(Role.SYSTEM, MEMORY, (Text(given.memory, "memory:summary", is_data=True),))
