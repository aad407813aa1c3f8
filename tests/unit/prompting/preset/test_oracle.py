"""The preset cases of the conformance file: seed, then SillyTavern, then design, then peer."""

from pathlib import Path

import pytest
from tests.loose_json import JsonObject, decode_json
from tests.unit.prompting.assembly.example import list_messages, make_book, make_input

from yarrow.prompting.assembly import AssemblyResult, assemble
from yarrow.prompting.model import CharacterCard, Persona
from yarrow.prompting.preset import PromptIntent

CASES = Path(__file__).parents[3] / "data" / "tavern" / "cases.json"


def preset_cases() -> list[JsonObject]:
    cases: list[JsonObject] = decode_json(CASES.read_bytes())["cases"]
    return [case for case in cases if case["kind"] == "preset"]


def assemble_case(case: JsonObject) -> AssemblyResult:
    values, card = case["values"], case.get("card", {})
    *talk, (_role, message) = case["history"]
    entries = case.get("worldbook_entries")
    return assemble(
        make_input(
            case["preset"],
            talk=[tuple(turn) for turn in talk],
            message=message,
            intent=PromptIntent(case["intent"]),
            card=CharacterCard(
                name=values["char"],
                description=card.get("description", ""),
                personality=card.get("personality", ""),
                scenario=card.get("scenario", ""),
                examples=card.get("example", ""),
            ),
            persona=Persona(values["user"], card.get("persona", "")),
            books=[make_book(*entries)] if entries else [],
        )
    )


@pytest.mark.parametrize("case", preset_cases(), ids=lambda case: case["id"])
def test_a_preset_gives_the_messages_and_the_report_of_the_case(case: JsonObject) -> None:
    expect = case["expect"]

    result = assemble_case(case["given"])

    messages = list_messages(result)
    whole = "\n".join(content for _role, content in messages)
    if "messages" in expect:
        assert messages == [tuple(message) for message in expect["messages"]]
    for text in expect.get("messages_contains", []):
        assert text in whole
    places = [whole.index(text) for text in expect.get("messages_contains_order", [])]
    assert places == sorted(places)
    if "report" in expect:
        report = result.diagnostics
        assert {
            "selected": report.selected_prompt_order_character_id,
            "ignored_tracks": list(report.ignored_prompt_order_character_ids),
            "unsupported": list(report.unsupported_preset_fields),
            "ignored": list(report.ignored_preset_fields),
            "unresolved_markers": list(report.unresolved_preset_markers),
        } == expect["report"]
