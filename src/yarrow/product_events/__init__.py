"""Product events: what agents make beside text, in plain fields, one file for each domain.

`ProductEvent` is the part of `RunEvent` that belongs to agents. It is declared below the engine,
so that the union is closed; the engine uses only the base class. Protocols give the products
their wire form in `protocols/encode_products.py`.
"""

from typing import TypeAlias

from yarrow.product_events.analyst import AnalystProduct
from yarrow.product_events.divination import DivinationProduct
from yarrow.product_events.product import (
    AgentProduct,
    StepProduct,
    StoredProduct,
    UntypedProduct,
)
from yarrow.product_events.story import ReplyProgress, StoredStoryProduct

__all__ = [
    "AgentProduct",
    "ProductEvent",
    "StepProduct",
    "StoredProduct",
    "StoredProductEvent",
    "UntypedProduct",
]

StoredProductEvent: TypeAlias = DivinationProduct | StoredStoryProduct | UntypedProduct

ProductEvent: TypeAlias = AnalystProduct | ReplyProgress | StoredProductEvent
