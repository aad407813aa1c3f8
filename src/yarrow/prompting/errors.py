"""Errors of prompts and chat files."""

from yarrow.errors import Conflict, InvalidInput
from yarrow.kit.notes import write_note
from yarrow.prompting.file_faults import FileFault


class PromptTooLarge(InvalidInput):
    """The parts of the prompt that may not be trimmed exceed its token budget."""

    def __init__(self, *, needed: int, available: int) -> None:
        super().__init__(f"the prompt needs {needed} tokens, {available} are available")
        self.needed, self.available = needed, available


class UserMessageErased(Conflict):
    """Regex scripts left no text of the message that is to be answered."""

    def __init__(self) -> None:
        super().__init__("regex scripts leave nothing of the message; change them or the message")


class FileRefused(InvalidInput):
    """A file of a story is not what it should be; `note` says what is wrong."""

    def __init__(self, fault: FileFault, *, field: str | None = None, **facts: str | int) -> None:
        self.note = write_note(fault, field=field or "", **facts)
        super().__init__(self.note.message, field=field)


class ChatUnreadable(FileRefused):
    """The chat file cannot be parsed; `line` is the line of the error."""

    def __init__(self, fault: FileFault, *, line: int) -> None:
        super().__init__(fault, field="data", line=line)
        self.line = line
