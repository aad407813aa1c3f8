"""A card beside the answer: how a model that can call tools answers with more than text.

A tool, and not a form of the answer: it works with every model that calls tools, and the text
of the answer streams as it always does.
"""

from yarrow.kit.json import JsonObject
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.uischema import CARD_SCHEMA, HintsInvalid, read_card_hints


class ShowCard:
    """Checks the hints of a card and hands them to the agent."""

    description = ToolDescription(
        name="show_card",
        description="Show a card beside your answer, for figures, lists, tables or next steps "
        "that are better seen than read. Call it once, then answer in text as usual. Plain text "
        "only. An action is a button that sends a message for the user or opens an https link.",
        parameters=CARD_SCHEMA,
    )

    async def call(self, arguments: JsonObject, _caller: ToolCaller) -> ToolAnswer:
        hints = {key: value for key, value in arguments.items() if value is not None}
        checked = read_card_hints(hints)
        if isinstance(checked, HintsInvalid):
            raise ToolError(f"no card was made: {checked.problem}")
        return ToolAnswer("The card is shown beside your answer.", answer_card=hints)
