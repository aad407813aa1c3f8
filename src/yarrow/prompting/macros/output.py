"""Text as it comes together: `{{trim}}` reaches back into it, and it has an end."""


class Output:
    """Collects text up to a limit."""

    __slots__ = ("_left", "_parts", "_stops", "_swallows", "was_cut")

    def __init__(self, limit: int) -> None:
        self._parts: list[str] = []
        self._left = limit
        self._swallows = False
        self._stops = 0
        self.was_cut = False

    def add(self, text: str) -> None:
        if self._swallows:
            text = text.lstrip("\r\n")
        if not text:
            return
        self._swallows = False
        if len(text) > self._left:
            self.was_cut = True
            text = text[: self._left]
        self._left -= len(text)
        self._parts.append(text)

    def trim(self) -> None:
        """Takes away the newlines just before, and those to come."""
        while len(self._parts) > self._stops:
            last = self._parts.pop()
            kept = last.rstrip("\r\n")
            self._left += len(last) - len(kept)
            if kept:
                self._parts.append(kept)
                break
        self._swallows = True

    def stop_trim(self) -> None:
        """Nothing before this point is trimmed, and what was to be trimmed after it stays."""
        self._stops = len(self._parts)
        self._swallows = False

    def text(self) -> str:
        return "".join(self._parts)
