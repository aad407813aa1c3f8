"""What the rules may decide to reply."""

from msgspec import Struct

from yarrow.kit.json import JsonObject


class RuleCall(Struct, frozen=True):
    """Call this tool."""

    name: str
    arguments: JsonObject


class CallTools(Struct, frozen=True):
    """Call tools and wait for their results."""

    calls: tuple[RuleCall, ...]


class SaySentence(Struct, frozen=True):
    """Answer with this text."""

    text: str


class AskSmallModel(Struct, frozen=True):
    """Let the small model play the role of the request; without one, answer with `otherwise`."""

    otherwise: str


Decision = CallTools | SaySentence | AskSmallModel
