"""What the user reads of an answer that holds an action."""

import pytest

from yarrow.agents.conversation.json_text import cut_objects, find_objects

ONE = '{"action": "summary", "summary": "a ``` b"}'


@pytest.mark.parametrize(
    "text, words",
    [
        (ONE, ""),
        (f"Let me see.\n```json\n{ONE}\n```\nDone.", "Let me see.\nDone."),
        (f"Here we go ```json\n{ONE}\n``` done", "Here we go\ndone"),
        (f"[{ONE}]", ""),
        (f"```\n[\n  {ONE}\n]\n```", ""),
        (f"First {ONE} then {ONE} end", "First\nthen\nend"),
        (f"```json\n{ONE},\n{ONE}\n```\nBye", "Bye"),
        (f"```json\n{ONE}\n```\nand\n```json\n{ONE}\n```", "and"),
        (f"```sql\nSELECT 1\n```\n{ONE}", "```sql\nSELECT 1\n```"),
        (f"{ONE}\n```sql\nSELECT 1\n```", "```sql\nSELECT 1\n```"),
    ],
)
def test_words_stay_and_machinery_goes(text: str, words: str) -> None:
    assert cut_objects(text, list(find_objects(text))) == words
