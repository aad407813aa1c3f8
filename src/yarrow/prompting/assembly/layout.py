"""Where everything stands: a preset's track, turned into drafts around the history."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from yarrow.prompting.assembly.inputs import AuthorsNote, NotePosition
from yarrow.prompting.assembly.lore import depth_insertions, texts_by_position
from yarrow.prompting.assembly.parts import (
    EXAMPLES,
    MEMORY,
    WORLDBOOK,
    ChatInsertion,
    PromptBlock,
    SourceText,
    TrimStage,
    section_group,
)
from yarrow.prompting.model import CharacterCard, Persona, PromptRole
from yarrow.prompting.preset import PresetReport
from yarrow.prompting.preset.model import (
    JAILBREAK,
    MAIN,
    ChatPosition,
    Preset,
    PresetEntry,
    PresetMarker,
    PromptIntent,
)
from yarrow.prompting.worldbook import ActiveEntry, LorePosition

_ORIGINAL = re.compile(r"\{\{\s*original\s*\}\}", re.IGNORECASE)


class CardOverrides(msgspec.Struct, frozen=True):
    """Entries with the card's texts in them, and the texts for which there was no entry."""

    entries: tuple[PresetEntry, ...]
    system_prompt: str = ""
    post_history: str = ""


def apply_card_overrides(
    entries: Sequence[PresetEntry], card: CharacterCard | None
) -> CardOverrides:
    """Put the card's texts into `main` and `jailbreak`, unless these forbid it.

    An entry that is switched off stays off, with the card's text in it.
    """
    if card is None:
        return CardOverrides(tuple(entries))
    texts = {
        MAIN: card.system_prompt,
        JAILBREAK: card.post_history,
    }
    present = {entry.identifier for entry in entries}
    return CardOverrides(
        entries=tuple(_override_entry(entry, texts.get(entry.identifier, "")) for entry in entries),
        system_prompt="" if MAIN in present else replace_original(card.system_prompt, ""),
        post_history="" if JAILBREAK in present else replace_original(card.post_history, ""),
    )


def replace_original(text: str, original: str) -> str:
    """The text with `{{original}}` filled in: once, as SillyTavern does; later ones are blank.

    Filled in before macros run, so that the original's own macros run in their place.
    """
    match = _ORIGINAL.search(text)
    if match is None:
        return text
    return text[: match.start()] + original + _ORIGINAL.sub("", text[match.end() :])


def _override_entry(entry: PresetEntry, text: str) -> PresetEntry:
    if entry.forbids_overrides or not text.strip():
        return entry
    return replace(entry, content=replace_original(text, entry.content))


_START = re.compile(r"<START>", re.IGNORECASE)


def split_examples(examples: str, separator: str) -> tuple[str, ...]:
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
    PresetMarker.LORE_BEFORE,
    PresetMarker.DESCRIPTION,
    PresetMarker.PERSONALITY,
    PresetMarker.PERSONA,
    PresetMarker.LORE_AFTER,
    PresetMarker.HISTORY,
)


def build_fallback_preset(card: CharacterCard | None, persona: Persona | None) -> Preset:
    """The preset of a session that has none; it says nothing about tokens."""
    known = [persona.description] if persona else []
    if card is not None:
        known += [card.description, card.personality]
    opening = () if any(text.strip() for text in known) else (_GENERIC_ENTRY,)
    markers = tuple(PresetEntry(identifier=marker.value, marker=marker) for marker in _TRACK)
    return Preset(entries=(*opening, *markers), report=PresetReport())


_GENERIC_ENTRY = PresetEntry(identifier=MAIN, content=DEFAULT_SYSTEM_PROMPT)
NUDGE_NAME = "continue_nudge_prompt"


class LayoutInput(msgspec.Struct, frozen=True):
    """What stands ready for the markers of a preset."""

    preset: Preset
    card: CharacterCard | None
    persona: Persona | None
    lore: Sequence[ActiveEntry]
    note: AuthorsNote | None
    memory: str
    memory_follows_opening: bool
    intent: PromptIntent
    with_examples: bool
    continued: str


@dataclass(slots=True)
class PromptLayout:
    """Drafts before, inside and after the history, and what was noticed on the way."""

    before: list[PromptBlock] = field(default_factory=list)
    injections: list[ChatInsertion] = field(default_factory=list)
    after: list[PromptBlock] = field(default_factory=list)
    trigger_filtered: list[str] = field(default_factory=list)
    in_chat: list[str] = field(default_factory=list)
    has_passed_history: bool = False
    shows_history: bool = True

    def add(self, draft: PromptBlock) -> None:
        (self.after if self.has_passed_history else self.before).append(draft)

    def placed_lore(self) -> set[int]:
        """The numbers of the active entries that have a place."""
        drafts = (*self.before, *(one.draft for one in self.injections), *self.after)
        return {text.lore for draft in drafts for text in draft.texts if text.lore is not None}


def build_layout(given: LayoutInput) -> PromptLayout:
    """Walk the track and put every text where it belongs."""
    layout = PromptLayout()
    texts = apply_card_overrides(given.preset.entries, given.card)
    for entry in texts.entries:
        is_meant = entry.is_meant_for(given.intent)
        if entry.is_enabled and not is_meant:
            layout.trigger_filtered.append(entry.identifier)
        is_used = entry.is_enabled and is_meant
        if entry.marker is PresetMarker.HISTORY:
            layout.shows_history = is_used
            _place_history(given, layout)
        elif is_used:
            _place_entry(entry, given, layout)
    if not layout.has_passed_history:
        _place_history(given, layout)
    _add_unlisted_blocks(given, texts, layout)
    return layout


def _place_entry(entry: PresetEntry, given: LayoutInput, layout: PromptLayout) -> None:
    draft = _entry_block(entry, given)
    if entry.in_chat is None:
        layout.add(draft)
    else:
        layout.injections.append(ChatInsertion(entry.in_chat, draft))
        layout.in_chat.append(entry.identifier)


def _place_history(given: LayoutInput, layout: PromptLayout) -> None:
    if not given.memory_follows_opening:
        layout.add(_memory_block(given))
    layout.has_passed_history = True
    if given.intent is PromptIntent.CONTINUE:
        layout.add(_nudge_block(given))


def _add_unlisted_blocks(given: LayoutInput, texts: CardOverrides, layout: PromptLayout) -> None:
    """What no entry of the track has asked for."""
    opening = _opening_length(layout.before)
    layout.before.insert(opening, _card_block("system_prompt", texts.system_prompt))
    if given.memory_follows_opening:
        layout.before.insert(opening + 1, _memory_block(given))
    _add_note(given, layout)
    if layout.shows_history:
        layout.before.append(_preset_block("new_chat_prompt", given.preset.texts.new_chat))
    layout.injections.extend(depth_insertions(given.lore))
    _add_depth_prompt(given, layout)
    layout.after.append(_card_block("post_history", texts.post_history))
    names = {entry.identifier for entry in given.preset.entries}
    if given.intent is PromptIntent.IMPERSONATE and "impersonate" not in names:
        layout.after.append(_preset_block("impersonation_prompt", given.preset.texts.impersonation))


def _opening_length(drafts: Sequence[PromptBlock]) -> int:
    """How many drafts the first message will be made of."""
    for at, draft in enumerate(drafts):
        if draft.role is not drafts[0].role:
            return at
    return len(drafts)


def _add_note(given: LayoutInput, layout: PromptLayout) -> None:
    if given.note is None:
        return
    note = given.note
    texts = (
        *texts_by_position(given.lore, LorePosition.AN_TOP),
        SourceText(note.text, "session:authors_note"),
        *texts_by_position(given.lore, LorePosition.AN_BOTTOM),
    )
    draft = PromptBlock(note.role, section_group("authorsNote"), texts)
    if note.place is NotePosition.IN_CHAT:
        layout.injections.append(ChatInsertion(ChatPosition(note.depth), draft))
        return
    main = next((at for at, one in enumerate(layout.before) if one.group == section_group(MAIN)), 0)
    layout.before.insert(main + (note.place is NotePosition.AFTER_MAIN), draft)


def _add_depth_prompt(given: LayoutInput, layout: PromptLayout) -> None:
    prompt = given.card.depth_prompt if given.card else None
    if prompt is not None:
        draft = PromptBlock(
            prompt.role,
            section_group("depthPrompt"),
            (SourceText(prompt.text, "card:depth_prompt"),),
        )
        layout.injections.append(ChatInsertion(ChatPosition(max(0, prompt.depth)), draft))


def _entry_block(entry: PresetEntry, given: LayoutInput) -> PromptBlock:
    """The texts an entry stands for."""
    role, card = entry.role, given.card or CharacterCard("")
    texts = given.preset.texts
    match entry.marker:
        case None | PresetMarker.HISTORY:
            text = SourceText(entry.content, f"preset:{entry.identifier}")
        case PresetMarker.LORE_BEFORE:
            lore = texts_by_position(given.lore, LorePosition.BEFORE)
            return PromptBlock(role, WORLDBOOK, lore, frame=texts.lore_format)
        case PresetMarker.LORE_AFTER:
            lore = texts_by_position(given.lore, LorePosition.AFTER)
            return PromptBlock(role, WORLDBOOK, lore, frame=texts.lore_format)
        case PresetMarker.EXAMPLES:
            return PromptBlock(role, EXAMPLES, _example_texts(given))
        case PresetMarker.DESCRIPTION:
            text = SourceText(card.description, "card:description")
        case PresetMarker.PERSONALITY:
            text = _card_field(card.personality, texts.personality_format, "personality")
        case PresetMarker.SCENARIO:
            text = _card_field(card.scenario, texts.scenario_format, "scenario")
        case PresetMarker.PERSONA:
            text = SourceText(
                given.persona.description if given.persona else "", "persona:description"
            )
    return PromptBlock(role, section_group(entry.identifier), (text,))


def _example_texts(given: LayoutInput) -> tuple[SourceText, ...]:
    examples = given.card.examples if given.card and given.with_examples else ""
    blocks = split_examples(examples, given.preset.texts.new_example)
    return (
        *texts_by_position(given.lore, LorePosition.EM_TOP),
        *(
            SourceText(block, f"card:examples:{at}", stage=TrimStage.EXAMPLES, rank=at)
            for at, block in enumerate(blocks)
        ),
        *texts_by_position(given.lore, LorePosition.EM_BOTTOM),
    )


def _card_field(text: str, frame: str, name: str) -> SourceText:
    """A card's field inside the preset's format, which names it as a macro."""
    wanted = "{{" + name + "}}"
    is_framed = bool(text.strip()) and wanted in frame
    return SourceText(frame.replace(wanted, text) if is_framed else text, f"card:{name}")


def _nudge_block(given: LayoutInput) -> PromptBlock:
    said = {"lastmessage": given.continued, "lastchatmessage": given.continued}
    text = SourceText(given.preset.texts.continue_nudge, f"preset:{NUDGE_NAME}", values=said)
    return PromptBlock(PromptRole.SYSTEM, section_group(NUDGE_NAME), (text,))


def _preset_block(name: str, text: str) -> PromptBlock:
    return PromptBlock(
        PromptRole.SYSTEM, section_group(name), (SourceText(text, f"preset:{name}"),)
    )


def _card_block(name: str, text: str) -> PromptBlock:
    return PromptBlock(
        PromptRole.SYSTEM, section_group(f"card.{name}"), (SourceText(text, f"card:{name}"),)
    )


def _memory_block(given: LayoutInput) -> PromptBlock:
    return PromptBlock(
        PromptRole.SYSTEM, MEMORY, (SourceText(given.memory, "memory:summary", is_data=True),)
    )
