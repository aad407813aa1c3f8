"""The base of product events, and the form of journals that have no types for them."""

import msgspec

from yarrow.kit.json import JsonValue


class AgentProduct(msgspec.Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """A frozen value with its class as the tag, like every run event."""

    def stored_form(self) -> tuple[str, JsonValue] | None:
        """Key and value in `MessageDetails.products`; None if only the journal has the product."""
        return None


class UntypedProduct(AgentProduct, frozen=True, tag="produced"):
    """A product in a journal that was written before products had types; never written."""

    name: str
    value: JsonValue
    kept: bool = True

    def stored_form(self) -> tuple[str, JsonValue] | None:
        return (self.name, self.value) if self.kept else None
