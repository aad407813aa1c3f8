"""Every stretch of the sent messages has its source, at its own place."""

from msgspec.structs import replace
from tests.unit.prompting.assembly.example import (
    constant,
    entry,
    make_book,
    make_input,
    make_preset,
)

from yarrow.prompting.assembly import AssemblyResult, assemble
from yarrow.prompting.model import CharacterCard
from yarrow.prompting.policy import StructureMode, StructurePolicy

PRESET = make_preset(
    entry("main", "Play {{char}}. 😀"),
    entry("worldInfoBefore"),
    entry("charDescription"),
    entry("chatHistory"),
    entry("jailbreak", "Stay."),
)
CARD = CharacterCard(name="Luna", description="Stay.")


def cut_out(result: AssemblyResult) -> list[tuple[str, str]]:
    """Places, and the texts at their positions."""
    units = [message.content.encode("utf-16-le") for message in result.messages]
    return [
        (origin.place, units[origin.message][origin.start * 2 : origin.end * 2].decode("utf-16-le"))
        for origin in result.trace.origins
    ]


def test_every_text_is_found_where_it_was_sent() -> None:
    book = make_book(constant("Lore of {{user}}."), constant("More."))

    result = assemble(make_input(PRESET, card=CARD, books=[book]))

    assert cut_out(result) == [
        ("preset:main", "Play Luna. 😀"),
        ("lore:wb_1:0", "Lore of Player."),
        ("lore:wb_1:1", "More."),
        ("card:description", "Stay."),
        ("history", "u0"),
        ("history", "a0"),
        ("history", "cur"),
        ("preset:jailbreak", "Stay."),
    ]


def test_a_source_knows_its_template_its_match_and_its_turn() -> None:
    book = make_book(constant("Lore of {{user}}."))

    origins = assemble(make_input(PRESET, card=CARD, books=[book])).trace.origins

    by_place = {origin.place: origin for origin in origins}
    assert by_place["preset:main"].template == "Play {{char}}. 😀"
    assert by_place["card:description"].template is None
    assert by_place["lore:wb_1:0"].match == 0
    assert [each.turn_ids for each in origins if each.place == "history"] == [
        ("floor_0",),
        ("floor_0",),
        (),
    ]


def test_a_text_that_a_policy_dropped_has_no_source() -> None:
    inputs = make_input(PRESET, card=CARD)
    structure = StructurePolicy(mode=StructureMode.DEFAULT, preserve_system_messages=False)
    policy = replace(inputs.policy, structure=structure)

    result = assemble(replace(inputs, policy=policy))

    assert [place for place, _ in cut_out(result)] == ["history"] * 3
