"""Errors of prompts and chat files."""

from yarrow.errors import Conflict, InvalidInput


class PromptTooLarge(InvalidInput):
    """The parts of the prompt that may not be trimmed exceed its token budget."""

    def __init__(self, *, needed: int, available: int) -> None:
        super().__init__(f"the prompt needs {needed} tokens, {available} are available")
        self.needed, self.available = needed, available


class UserMessageErased(Conflict):
    """Regex scripts left no text of the message that is to be answered."""

    def __init__(self) -> None:
        super().__init__("regex scripts leave nothing of the message; change them or the message")


class ChatUnreadable(InvalidInput):
    """The chat file cannot be parsed; `line` is the line of the error."""

    def __init__(self, rule: str, *, line: int) -> None:
        super().__init__(f"line {line}: {rule}", field="data")
        self.line = line
