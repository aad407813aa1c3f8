"""Why a file cannot be read, in words for its owner."""

from yarrow.kit.notes import Fact, write_note
from yarrow.sandbox.table_notes import Sentence


class FileUnreadable(Exception):
    """The file is broken, empty, too large, or of an unsupported kind."""

    def __init__(self, sentence: Sentence, **facts: int | Fact) -> None:
        self.note = write_note(sentence, **facts)
        super().__init__(self.note.message)
