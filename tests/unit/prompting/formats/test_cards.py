"""Cards of all versions become one shape. The fields are those of the published card formats."""

import pytest
from tests.loose_json import JsonObject

from yarrow.errors import InvalidInput
from yarrow.prompting.formats.cards import read_card, rename_card
from yarrow.prompting.model import CharacterCard, DepthPrompt, PromptRole

BOOK: JsonObject = {"entries": [{"keys": ["moon"], "content": "It is full."}]}
FIELDS: JsonObject = {
    "name": "Luna",
    "description": "A moon priestess.",
    "personality": "calm",
    "scenario": "Night watch",
    "first_mes": "The moon is bright.",
    "mes_example": "<START>\n{{char}}: The tide.",
    "creator_notes": "Mind the tide.",
    "system_prompt": "Stay in character.",
    "post_history_instructions": "End softly.",
    "alternate_greetings": ["Lamps are lit.", "", None, "You came."],
    "tags": ["moon", "archive"],
    "creator": "somebody",
    "character_version": "2.1",
    "character_book": BOOK,
    "extensions": {
        "talkativeness": "0.5",
        "depth_prompt": {"prompt": "She whispers.", "depth": 2, "role": "user"},
    },
}
WHOLE = CharacterCard(
    name="Luna",
    description="A moon priestess.",
    personality="calm",
    scenario="Night watch",
    first_message="The moon is bright.",
    alternate_greetings=("Lamps are lit.", "You came."),
    examples="<START>\n{{char}}: The tide.",
    system_prompt="Stay in character.",
    post_history="End softly.",
    creator_notes="Mind the tide.",
    version="2.1",
    tags=("moon", "archive"),
    depth_prompt=DepthPrompt("She whispers.", 2, PromptRole.USER),
    book=BOOK,
    extensions=FIELDS["extensions"],
)


@pytest.mark.parametrize("spec", ["chara_card_v2", "chara_card_v3"])
def test_versions_2_and_3_have_their_fields_under_data(spec: str) -> None:
    assert read_card({"spec": spec, "spec_version": "x", "data": FIELDS}) == WHOLE


def test_version_1_has_its_fields_at_the_top() -> None:
    card = read_card(
        {
            "name": "Luna",
            "description": "A moon priestess.",
            "personality": "calm",
            "scenario": "Night watch",
            "first_mes": "The moon is bright.",
            "mes_example": "<START>",
            "creatorcomment": "Mind the tide.",
        }
    )

    assert card == CharacterCard(
        name="Luna",
        description="A moon priestess.",
        personality="calm",
        scenario="Night watch",
        first_message="The moon is bright.",
        examples="<START>",
        creator_notes="Mind the tide.",
    )


def test_data_counts_where_a_file_has_both() -> None:
    """SillyTavern repeats old fields at the top, for old readers."""
    assert read_card({"name": "Old", "spec": "chara_card_v2", "data": FIELDS}).name == "Luna"


def test_texts_are_trimmed_and_lines_end_with_a_line_feed() -> None:
    card = read_card({"name": " Luna\r\n", "description": "\r\none\r\ntwo\rthree  ", "tags": None})

    assert (card.name, card.description) == ("Luna", "one\ntwo\nthree")


@pytest.mark.parametrize(
    "given, expected",
    [
        (None, None),
        ({"prompt": "  "}, None),
        ({"prompt": "x"}, DepthPrompt("x", 4, PromptRole.SYSTEM)),
        ({"prompt": "x", "depth": -1, "role": "robot"}, DepthPrompt("x", 4, PromptRole.SYSTEM)),
        ({"prompt": "x", "depth": 0, "role": 2}, DepthPrompt("x", 0, PromptRole.ASSISTANT)),
    ],
)
def test_note_at_depth(given: JsonObject | None, expected: DepthPrompt | None) -> None:
    card = read_card({"data": {"name": "L", "extensions": {"depth_prompt": given}}})

    assert card.depth_prompt == expected


def test_tags_may_be_one_text() -> None:
    assert read_card({"name": "L", "tags": "moon, , archive "}).tags == ("moon", "archive")


@pytest.mark.parametrize(
    "content, field",
    [
        ({}, None),
        ({"entries": {}}, None),
        ({"spec": "chara_card_v2", "data": []}, None),
        ({"name": None}, "name"),
        ({"name": "  "}, "name"),
        ({"name": 3}, "name"),
        ({"data": {}}, "data.name"),
        ({"data": {"name": "x" * 121}}, "data.name"),
        ({"data": {"name": "L", "description": 5}}, "data.description"),
        ({"data": {"name": "L", "first_mes": "a" * (1024 * 1024 + 1)}}, "data.first_mes"),
        ({"data": {"name": "L", "alternate_greetings": "hi"}}, "data.alternate_greetings"),
        ({"data": {"name": "L", "alternate_greetings": [1]}}, "data.alternate_greetings.0"),
        ({"data": {"name": "L", "character_book": []}}, "data.character_book"),
        ({"data": {"name": "L", "extensions": "x"}}, "data.extensions"),
        (
            {"data": {"name": "L", "extensions": {"depth_prompt": {"prompt": []}}}},
            "data.extensions.depth_prompt.prompt",
        ),
    ],
)
def test_what_is_no_card_is_refused_by_field(content: JsonObject, field: str | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_card(content)

    assert refused.value.field == field


def test_name_of_120_and_text_of_a_mebibyte_are_allowed() -> None:
    card = read_card({"name": "x" * 120, "description": "a" * 1024 * 1024})

    assert (len(card.name), len(card.description)) == (120, 1024 * 1024)


def test_renaming_changes_every_place_of_the_name_and_nothing_else() -> None:
    card: JsonObject = {"name": "Old", "spec": "chara_card_v2", "data": FIELDS, "unknown": 1}

    renamed = rename_card(card, "Sol")

    assert renamed == {
        "name": "Sol",
        "spec": "chara_card_v2",
        "data": FIELDS | {"name": "Sol"},
        "unknown": 1,
    }
    assert list(renamed) == list(card)
    assert card["data"]["name"] == "Luna"
