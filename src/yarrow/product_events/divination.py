"""What the diviner makes. Both are stored with the answer: later turns read them."""

from typing import TypeAlias

from yarrow.kit.json import JsonObject
from yarrow.product_events.product import StoredProduct

DIVINATION_DERIVED = "DIVINATION_DERIVED"
READING_EXPLAINED = "READING_EXPLAINED"
"""Keys in `MessageDetails.products`."""


class DivinationDerived(StoredProduct, frozen=True, tag="divination_derived"):
    """The board that was derived from a cast."""

    divination: JsonObject

    def to_stored(self) -> tuple[str, JsonObject]:
        return DIVINATION_DERIVED, self.divination


class ReadingExplained(StoredProduct, frozen=True, tag="reading_explained"):
    """The rules and lines that each statement of a reading is based on."""

    explanation: JsonObject

    def to_stored(self) -> tuple[str, JsonObject]:
        return READING_EXPLAINED, self.explanation


DivinationProduct: TypeAlias = DivinationDerived | ReadingExplained
