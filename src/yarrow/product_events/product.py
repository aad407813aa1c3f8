"""The bases of product events, and the form of journals that have no types for them."""

from msgspec import Struct

from yarrow.kit.json import JsonObject


class AgentProduct(Struct, frozen=True, tag_field="kind", omit_defaults=True):
    """A frozen value with its class as the tag, like every run event."""


class StoredProduct(AgentProduct, frozen=True):
    """A product that is stored with the answer; all others are only in the journal."""

    def to_stored(self) -> tuple[str, JsonObject]:
        """Key and value in `MessageDetails.products`."""
        raise NotImplementedError

    def to_settled(self) -> "StoredProduct":
        """The event that the journal of a succeeded run keeps, without what the settlement stored
        in a table of its own."""
        return self


class StepProduct(AgentProduct, frozen=True):
    """A product that is the whole result of a step; an attempt that takes its run over reads it
    from the journal instead of making it again."""


class UntypedProduct(StoredProduct, frozen=True, tag="produced"):
    """A product in a journal that was written before products had types; never written.

    It was stored with the answer if `kept`.
    """

    name: str
    value: JsonObject
    kept: bool = True

    def to_stored(self) -> tuple[str, JsonObject]:
        return self.name, self.value
