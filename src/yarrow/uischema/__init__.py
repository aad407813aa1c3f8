"""UI schema 2.0: from the small hints an agent or a tool gives to a tree a client can draw.

Pure. Hints are opaque JSON until `read_hints` has looked at them; whoever wrote them, a history
with bad ones stays readable: they give no card.
"""

from yarrow.uischema.card import Theme, UiSchema
from yarrow.uischema.compile import compile_card
from yarrow.uischema.encode import compile_stored_card, to_json
from yarrow.uischema.hints import (
    CardHints,
    Hints,
    HintsInvalid,
    Meta,
    add_language_and_origin,
    read_card_hints,
    read_hints,
)
from yarrow.uischema.hints_schema import CARD_SCHEMA
from yarrow.uischema.nodes import CardStatus, Node

__all__ = [
    "CARD_SCHEMA",
    "CardHints",
    "CardStatus",
    "Hints",
    "HintsInvalid",
    "Meta",
    "Node",
    "Theme",
    "UiSchema",
    "add_language_and_origin",
    "compile_card",
    "compile_stored_card",
    "read_card_hints",
    "read_hints",
    "to_json",
]
