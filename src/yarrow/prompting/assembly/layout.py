"""Place the texts of preset, card, persona, lore and note around the history."""

import re
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from yarrow.prompting.assembly.inputs import AuthorsNote, NotePosition
from yarrow.prompting.assembly.lore import build_depth_insertions, list_texts_by_position
from yarrow.prompting.assembly.parts import (
    EXAMPLES,
    MEMORY,
    WORLDBOOK,
    ChatInsertion,
    PromptBlock,
    SourceText,
    TrimStage,
    name_section,
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
_START = re.compile(r"<START>", re.IGNORECASE)
DEFAULT_SYSTEM_PROMPT = "You are a helpful assistant. Answer in the language of the user."

_TRACK = (
    PresetMarker.LORE_BEFORE,
    PresetMarker.DESCRIPTION,
    PresetMarker.PERSONALITY,
    PresetMarker.PERSONA,
    PresetMarker.LORE_AFTER,
    PresetMarker.HISTORY,
)

_GENERIC_ENTRY = PresetEntry(identifier=MAIN, content=DEFAULT_SYSTEM_PROMPT)
NUDGE_NAME = "continue_nudge_prompt"


class LayoutInput(Struct, frozen=True):
    """The texts and switches that a layout is built from."""

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


class PromptLayout(Struct):
    """Blocks before, inside and after the history, and which preset entries were used how."""

    before: list[PromptBlock] = field(default_factory=list)
    insertions: list[ChatInsertion] = field(default_factory=list)
    after: list[PromptBlock] = field(default_factory=list)
    trigger_filtered: list[str] = field(default_factory=list)
    in_chat: list[str] = field(default_factory=list)
    is_past_history: bool = False
    shows_history: bool = True

    def add(self, block: PromptBlock) -> None:
        (self.after if self.is_past_history else self.before).append(block)

    def lore_numbers(self) -> set[int]:
        """Return the numbers of the active lore entries that have a place."""
        blocks = (*self.before, *(insertion.block for insertion in self.insertions), *self.after)
        return {text.lore for block in blocks for text in block.texts if text.lore is not None}


class CardOverrides(Struct, frozen=True):
    """Preset entries with the card's overrides applied, and overrides without an entry."""

    entries: tuple[PresetEntry, ...]
    system_prompt: str = ""
    post_history: str = ""


def build_layout(inputs: LayoutInput) -> PromptLayout:
    """Walk the preset's entries in order and place each one's texts."""
    layout = PromptLayout()
    texts = apply_card_overrides(inputs.preset.entries, inputs.card)
    for entry in texts.entries:
        is_intended = entry.accepts_intent(inputs.intent)
        if entry.is_enabled and not is_intended:
            layout.trigger_filtered.append(entry.identifier)
        is_used = entry.is_enabled and is_intended
        if entry.marker is PresetMarker.HISTORY:
            layout.shows_history = is_used
            _place_history(inputs, layout)
        elif is_used:
            _place_entry(entry, inputs, layout)
    if not layout.is_past_history:
        _place_history(inputs, layout)
    _add_unlisted_blocks(inputs, texts, layout)
    return layout


def _place_entry(entry: PresetEntry, inputs: LayoutInput, layout: PromptLayout) -> None:
    block = _build_entry_block(entry, inputs)
    if entry.in_chat is None:
        layout.add(block)
    else:
        layout.insertions.append(ChatInsertion(entry.in_chat, block))
        layout.in_chat.append(entry.identifier)


def _place_history(inputs: LayoutInput, layout: PromptLayout) -> None:
    if not inputs.memory_follows_opening:
        layout.add(_build_memory_block(inputs))
    layout.is_past_history = True
    if inputs.intent is PromptIntent.CONTINUE:
        layout.add(_build_nudge_block(inputs))


def _add_unlisted_blocks(inputs: LayoutInput, texts: CardOverrides, layout: PromptLayout) -> None:
    """Add the texts that no preset entry refers to."""
    opening = _count_opening_blocks(layout.before)
    layout.before.insert(opening, _build_card_block("system_prompt", texts.system_prompt))
    if inputs.memory_follows_opening:
        layout.before.insert(opening + 1, _build_memory_block(inputs))
    _add_note(inputs, layout)
    if layout.shows_history:
        layout.before.append(_build_preset_block("new_chat_prompt", inputs.preset.texts.new_chat))
    layout.insertions.extend(build_depth_insertions(inputs.lore))
    _add_depth_prompt(inputs, layout)
    layout.after.append(_build_card_block("post_history", texts.post_history))
    names = {entry.identifier for entry in inputs.preset.entries}
    if inputs.intent is PromptIntent.IMPERSONATE and "impersonate" not in names:
        layout.after.append(
            _build_preset_block("impersonation_prompt", inputs.preset.texts.impersonation)
        )


def _count_opening_blocks(blocks: Sequence[PromptBlock]) -> int:
    """Count the blocks that will be joined into the first message."""
    for index, block in enumerate(blocks):
        if block.role is not blocks[0].role:
            return index
    return len(blocks)


def _add_note(inputs: LayoutInput, layout: PromptLayout) -> None:
    if inputs.note is None:
        return
    note = inputs.note
    texts = (
        *list_texts_by_position(inputs.lore, LorePosition.AN_TOP),
        SourceText(note.text, "session:authors_note"),
        *list_texts_by_position(inputs.lore, LorePosition.AN_BOTTOM),
    )
    block = PromptBlock(note.role, name_section("authorsNote"), texts)
    if note.position is NotePosition.IN_CHAT:
        layout.insertions.append(ChatInsertion(ChatPosition(note.depth), block))
        return
    main = next(
        (index for index, entry in enumerate(layout.before) if entry.group == name_section(MAIN)),
        0,
    )
    layout.before.insert(main + (note.position is NotePosition.AFTER_MAIN), block)


def _add_depth_prompt(inputs: LayoutInput, layout: PromptLayout) -> None:
    prompt = inputs.card.depth_prompt if inputs.card else None
    if prompt is not None:
        block = PromptBlock(
            prompt.role,
            name_section("depthPrompt"),
            (SourceText(prompt.text, "card:depth_prompt"),),
        )
        layout.insertions.append(ChatInsertion(ChatPosition(max(0, prompt.depth)), block))


def _build_entry_block(entry: PresetEntry, inputs: LayoutInput) -> PromptBlock:
    """Build the block of a preset entry; a marker is replaced by the text it names."""
    role, card = entry.role, inputs.card or CharacterCard("")
    texts = inputs.preset.texts
    match entry.marker:
        case None | PresetMarker.HISTORY:
            text = SourceText(entry.content, f"preset:{entry.identifier}")
        case PresetMarker.LORE_BEFORE:
            lore = list_texts_by_position(inputs.lore, LorePosition.BEFORE)
            return PromptBlock(role, WORLDBOOK, lore, frame=texts.lore_format)
        case PresetMarker.LORE_AFTER:
            lore = list_texts_by_position(inputs.lore, LorePosition.AFTER)
            return PromptBlock(role, WORLDBOOK, lore, frame=texts.lore_format)
        case PresetMarker.EXAMPLES:
            return PromptBlock(role, EXAMPLES, _list_example_texts(inputs))
        case PresetMarker.DESCRIPTION:
            text = SourceText(card.description, "card:description")
        case PresetMarker.PERSONALITY:
            text = _frame_card_field(card.personality, texts.personality_format, "personality")
        case PresetMarker.SCENARIO:
            text = _frame_card_field(card.scenario, texts.scenario_format, "scenario")
        case PresetMarker.PERSONA:
            text = SourceText(
                inputs.persona.description if inputs.persona else "", "persona:description"
            )
    return PromptBlock(role, name_section(entry.identifier), (text,))


def _list_example_texts(inputs: LayoutInput) -> tuple[SourceText, ...]:
    examples = inputs.card.examples if inputs.card and inputs.with_examples else ""
    dialogues = split_examples(examples, inputs.preset.texts.new_example)
    return (
        *list_texts_by_position(inputs.lore, LorePosition.EM_TOP),
        *(
            SourceText(dialogue, f"card:examples:{index}", stage=TrimStage.EXAMPLES, rank=index)
            for index, dialogue in enumerate(dialogues)
        ),
        *list_texts_by_position(inputs.lore, LorePosition.EM_BOTTOM),
    )


def _frame_card_field(text: str, frame: str, name: str) -> SourceText:
    """Put a card's field into the preset's format, which refers to it as a macro."""
    macro = "{{" + name + "}}"
    is_framed = bool(text.strip()) and macro in frame
    return SourceText(frame.replace(macro, text) if is_framed else text, f"card:{name}")


def _build_nudge_block(inputs: LayoutInput) -> PromptBlock:
    values = {"lastmessage": inputs.continued, "lastchatmessage": inputs.continued}
    text = SourceText(inputs.preset.texts.continue_nudge, f"preset:{NUDGE_NAME}", values=values)
    return PromptBlock(PromptRole.SYSTEM, name_section(NUDGE_NAME), (text,))


def _build_preset_block(name: str, text: str) -> PromptBlock:
    return PromptBlock(PromptRole.SYSTEM, name_section(name), (SourceText(text, f"preset:{name}"),))


def _build_card_block(name: str, text: str) -> PromptBlock:
    return PromptBlock(
        PromptRole.SYSTEM, name_section(f"card.{name}"), (SourceText(text, f"card:{name}"),)
    )


def _build_memory_block(inputs: LayoutInput) -> PromptBlock:
    return PromptBlock(
        PromptRole.SYSTEM, MEMORY, (SourceText(inputs.memory, "memory:summary", is_data=True),)
    )


def apply_card_overrides(
    entries: Sequence[PresetEntry], card: CharacterCard | None
) -> CardOverrides:
    """Put the card's texts into `main` and `jailbreak`, unless the entries forbid it.

    A disabled entry stays disabled, with the card's text in it.
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
    """Replace the first `{{original}}` and remove later ones, as SillyTavern does.

    This happens before macro expansion, so that macros of the original run at its position.
    """
    match = _ORIGINAL.search(text)
    if match is None:
        return text
    return text[: match.start()] + original + _ORIGINAL.sub("", text[match.end() :])


def _override_entry(entry: PresetEntry, text: str) -> PresetEntry:
    if entry.forbids_overrides or not text.strip():
        return entry
    return replace(entry, content=replace_original(text, entry.content))


def split_examples(examples: str, separator: str) -> tuple[str, ...]:
    """Split dialogues at `<START>`; a separator of the preset replaces `<START>`."""
    if not examples.strip():
        return ()
    opening, *dialogues = _START.split(examples)
    bodies = [("", opening), *(("<START>", dialogue) for dialogue in dialogues)]
    return tuple(
        f"{separator}\n{body.strip()}" if separator.strip() else f"{mark}{body}".strip()
        for mark, body in bodies
        if body.strip()
    )


def build_fallback_preset(card: CharacterCard | None, persona: Persona | None) -> Preset:
    """Build the preset of a session without one: character, persona, lore and history."""
    descriptions = [persona.description] if persona else []
    if card is not None:
        descriptions += [card.description, card.personality]
    opening = () if any(text.strip() for text in descriptions) else (_GENERIC_ENTRY,)
    markers = tuple(PresetEntry(identifier=marker.value, marker=marker) for marker in _TRACK)
    return Preset(entries=(*opening, *markers), report=PresetReport())
