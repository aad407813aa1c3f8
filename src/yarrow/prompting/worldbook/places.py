"""How a text of a worldbook is called where macros are expanded."""

from yarrow.prompting.worldbook.model import BookSource, Entry


def place_of(source: BookSource, entry: Entry) -> str:
    """Dice and traces go by it, so an entry has the same place when peeked at and in the prompt."""
    return f"lore:{source.ref}:{entry.uid}"
