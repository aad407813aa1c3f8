"""Show a card beside the answer.

A tool and not a format of the answer: it works with every model that calls tools, and the text of
the answer is streamed as usual.
"""

from yarrow.kit.json import JsonObject
from yarrow.tools.model import ToolAnswer, ToolCaller, ToolDescription, ToolError
from yarrow.uischema import CARD_SCHEMA, HintsInvalid, read_card_hints


class ShowCard:
    """Validates the hints of a card and passes them to the agent."""

    description = ToolDescription(
        name="show_card",
        description="Show a card beside your answer, for figures, lists, tables or next steps "
        "that are better seen than read. Call it once, then answer in text as usual. Plain text "
        "only. An action is a button that sends a message for the user or opens an https link.",
        parameters=CARD_SCHEMA,
    )

    async def call(self, arguments: JsonObject, _caller: ToolCaller) -> ToolAnswer:
        hints: JsonObject = {key: value for key, value in arguments.items() if value is not None}
        result = read_card_hints(hints)
        if isinstance(result, HintsInvalid):
            raise ToolError(f"no card was made: {result.problem}")
        return ToolAnswer("The card is shown beside your answer.", answer_card=hints)
