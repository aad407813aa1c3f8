"""Remove summaries from a reply while it is streamed.

The pieces that the filter returns, joined, are what `extract_summaries` makes of the whole text.
"""

import re

from yarrow.prompting.summaries import TAGS, remove_summaries

_TAG = re.compile(rf"<(/?)({'|'.join(TAGS)})>", re.IGNORECASE | re.ASCII)
_OPENINGS = tuple(f"<{tag}>" for tag in TAGS)
_LONGEST_TAG = max(len(f"</{tag}>") for tag in TAGS)
_BLANK_LINES = re.compile(r"\n{3,}")


class SummaryFilter:
    """Holds back text that may belong to a summary, and whitespace that may be the last."""

    def __init__(self) -> None:
        self._held: list[str] = []
        """From an opening tag on; joined only when all tags in it are closed."""
        self._window = ""
        """The end of the held text, in which a tag may have begun."""
        self._open: set[str] = set()
        self._space = ""
        self._has_begun = False

    def feed(self, text: str) -> str:
        """The text that certainly is part of the reply now; may be empty."""
        if not self._held and "<" not in text:  # nearly always
            return self._release_text(text)
        shown: list[str] = []
        if not self._held:
            start = _find_start(text)
            shown.append(self._release_text(text[:start]))
            text = text[start:]
        if text:
            self._held.append(text)
            self._scan_tags(text)
            if not self._open:
                shown.append(self._release_held())
        return "".join(shown)

    def close(self) -> str:
        """What is left when the reply is complete."""
        held = "".join(self._held)
        self._held = []
        shown = self._release_text(remove_summaries(held, []))
        self._space = ""
        return shown

    def _scan_tags(self, text: str) -> None:
        """Note tags that open or close in the new text, or across its beginning."""
        window = self._window + text
        done = 0
        for mark in _TAG.finditer(window):
            name, done = mark[2].lower(), mark.end()
            if mark[1]:
                self._open.discard(name)
            else:
                self._open.add(name)
        self._window = window[max(done, len(window) - _LONGEST_TAG + 1) :]

    def _release_held(self) -> str:
        """Release what is held, but for an end that may be the beginning of a tag."""
        held = remove_summaries("".join(self._held), [])
        start = _find_start(held)
        shown = self._release_text(held[:start])
        self._held, self._window = [], ""
        if rest := held[start:]:
            self._held.append(rest)
            self._scan_tags(rest)
        return shown

    def _release_text(self, text: str) -> str:
        """Strip the beginning, hold back whitespace at the end, collapse blank lines."""
        if not self._has_begun:
            text = text.lstrip()
            self._has_begun = bool(text)
        text = self._space + text
        shown = text.rstrip()
        self._space = text[len(shown) :]
        return _BLANK_LINES.sub("\n\n", shown)


def _find_start(text: str) -> int:
    """Where an opening tag begins, or an end of the text that may become one; else its length."""
    opening = next((mark for mark in _TAG.finditer(text) if not mark[1]), None)
    if opening is not None:
        return opening.start()
    start = text.rfind("<", max(0, len(text) - _LONGEST_TAG))
    if start >= 0 and any(tag.startswith(text[start:].lower()) for tag in _OPENINGS):
        return start
    return len(text)
