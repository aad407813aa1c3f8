"""JavaScript regular expressions, run by QuickJS under a clock.

Time is the calling thread's own processor time: an assembly must not lose a rule because the
machine was busy. Compiling cannot be interrupted, hence the bound on a pattern's weight.
"""

import json
import re
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import msgspec
import quickjs  # type: ignore[import-untyped]

from yarrow.kit.json import JsonValue, decode_json
from yarrow.prompting.regex_engine.port import JsRegex, RegexMatch, RegexTimedOut
from yarrow.prompting.regex_engine.slow import SlowPatterns

_MEMORY_LIMIT_BYTES = 64 * 1024 * 1024
_STACK_LIMIT_BYTES = 256 * 1024
_TEXT_LIMIT = 4_000_000
_PATTERN_WEIGHT_LIMIT = 10_000
_PROPERTY_CLASS_WEIGHT = 100
"""`\\p{…}` expands to hundreds of ranges: such a class costs as much as that many characters."""

_ATTEMPTS = 3
_FAIR_SHARE = 0.8
_SURROGATE = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_NOTHING_FOUND = "[]"


# One call per question. The answer is [text length, groups, names, [start, end, groups…, named…]…]
# in UTF-16 units; JSON keeps a half of a surrogate pair as an escape, which plain text could not.
_PROGRAM = """
const compiled = new Map();
let kept = 0;
function compile(pattern, flags) {
  const key = flags + "/" + pattern;
  let regex = compiled.get(key);
  if (regex === undefined) {
    regex = new RegExp(pattern, flags);
    kept += key.length;
    if (compiled.size >= 512 || kept > 200000) { compiled.clear(); kept = key.length; }
    compiled.set(key, regex);
  }
  return regex;
}
function matches(pattern, flags, text) {
  const regex = compile(pattern, flags);
  if (text === null) return "[]";
  regex.lastIndex = 0;
  let found = regex.exec(text);
  if (found === null) return "[]";
  const names = found.groups === undefined ? [] : Object.keys(found.groups);
  const answer = [text.length, found.length - 1, names];
  const all = regex.global || regex.sticky;
  const unicode = regex.unicode || regex.unicodeSets;
  while (found !== null) {
    const start = found.index, end = start + found[0].length;
    found[0] = end;
    answer.push(start, ...found);
    for (const name of names) answer.push(found.groups[name]);
    if (!all) break;
    if (answer.length > 100000) throw new RangeError("too many matches");
    if (start === end) regex.lastIndex = end + (unicode && text.codePointAt(end) > 0xffff ? 2 : 1);
    found = regex.exec(text);
  }
  return JSON.stringify(answer);
}
"""


class QuickJsEngine:
    """The engine for one assembly: cheap to make, with an allowance that its calls use up.

    With a memory of slow patterns, those of the same owner are not tried again for a while.
    """

    def __init__(
        self,
        *,
        call_limit_s: float = 0.1,
        allowance_s: float = 1.0,
        slow: SlowPatterns | None = None,
        owner: str = "",
    ) -> None:
        self._call_limit = call_limit_s
        self._left = allowance_s
        self._slow, self._owner = slow, owner

    def is_valid(self, regex: JsRegex) -> bool:
        """Whether JavaScript compiles it; False when it is too long to be tried.

        With the allowance used up nothing is known to be wrong: `matches` will say so.
        """
        try:
            return self._ask(regex, None) is not None
        except RegexTimedOut:
            return True

    def matches(self, regex: JsRegex, text: str) -> Sequence[RegexMatch]:
        """Nothing for an invalid pattern. A group may hold one half of a surrogate pair."""
        if len(text) > _TEXT_LIMIT or (self._slow and self._slow.rests(self._owner, regex)):
            raise RegexTimedOut
        return self._ask(regex, text) or ()

    def _ask(self, regex: JsRegex, text: str | None) -> Sequence[RegexMatch] | None:
        """The matches, or None when the pattern is invalid."""
        if not _is_short_enough(regex.pattern):
            return None
        limit, spent = self._call_limit, 0.0
        for _ in range(_ATTEMPTS):
            if self._left <= 0:
                break
            limit = min(limit, self._left)
            interpreter = _thread_interpreter()
            began = time.thread_time()
            try:
                return interpreter.matches(regex, text, limit_s=limit)
            except quickjs.JSException as failure:
                if _is_syntax_error(failure):
                    return None
                _drop_interpreter()
                took = time.thread_time() - began
                spent += took
                if interpreter.is_to_blame(failure, spent_s=took, limit_s=limit):
                    break
            finally:
                self._left -= time.thread_time() - began
            limit *= 2
        self._note(regex, spent_s=spent)
        raise RegexTimedOut

    def _note(self, regex: JsRegex, *, spent_s: float) -> None:
        """A pattern that came when the allowance was nearly used up has had no fair trial."""
        if self._slow is not None and spent_s >= self._call_limit * _FAIR_SHARE:
            self._slow.note(self._owner, regex)


class _Interpreter:
    """One QuickJS context with our program; it belongs to the thread that made it."""

    def __init__(self) -> None:
        self._context = quickjs.Context()
        self._context.set_memory_limit(_MEMORY_LIMIT_BYTES)
        self._context.set_max_stack_size(_STACK_LIMIT_BYTES)
        self._context.eval(_PROGRAM)
        self._matches = self._context.get("matches")
        self._limit = 0.0
        self._calls = 0

    def matches(self, regex: JsRegex, text: str | None, *, limit_s: float) -> Sequence[RegexMatch]:
        """Without a text the pattern is only compiled."""
        if limit_s != self._limit:
            self._context.set_time_limit(limit_s)
            self._limit = limit_s
        self._calls += 1
        pattern = _replace_lone_surrogates(regex.pattern)
        sound = None if text is None else _replace_lone_surrogates(text)
        answer: str = self._matches(pattern, regex.flags, sound)
        if sound is None or answer == _NOTHING_FOUND:
            return ()
        return _parse_matches(answer, sound)

    def is_to_blame(self, failure: quickjs.JSException, *, spent_s: float, limit_s: float) -> bool:
        """Whether the pattern itself broke a limit.

        QuickJS counts the time of all threads, and patterns compiled before take memory too.
        """
        message = str(failure)
        if "interrupted" in message:
            return spent_s >= limit_s * _FAIR_SHARE
        return "out of memory" not in message or self._calls == 1


_thread_state = threading.local()


def _thread_interpreter() -> _Interpreter:
    try:
        kept: _Interpreter = _thread_state.interpreter
    except AttributeError:
        kept = _thread_state.interpreter = _Interpreter()
    return kept


def _drop_interpreter() -> None:
    """After an interrupt or a lack of memory a context is not to be trusted."""
    del _thread_state.interpreter


def _is_syntax_error(failure: quickjs.JSException) -> bool:
    message = str(failure)
    return message.startswith("SyntaxError") and "out of memory" not in message


def _is_short_enough(pattern: str) -> bool:
    """Short enough that compiling it, which cannot be interrupted, ends soon."""
    if len(pattern) > _PATTERN_WEIGHT_LIMIT:
        return False
    classes = pattern.count("\\p{") + pattern.count("\\P{")
    return len(pattern) + _PROPERTY_CLASS_WEIGHT * classes <= _PATTERN_WEIGHT_LIMIT


def _replace_lone_surrogates(text: str) -> str:
    """JavaScript knows them, the road to it does not; the text keeps its length."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _parse_matches(answer: str, text: str) -> tuple[RegexMatch, ...]:
    units, group_count, names, facts = _decode_answer(answer)
    stride = 2 + group_count + len(names)
    spans: Iterable[tuple[int, int]] = zip(facts[::stride], facts[1::stride], strict=True)
    if units != len(text):
        offsets = _Utf16Offsets(text)
        spans = (offsets.span(start, end) for start, end in spans)
    if stride == 2:
        return tuple([RegexMatch(start, end) for start, end in spans])
    return tuple(
        RegexMatch(
            start,
            end,
            tuple(facts[at : at + group_count]),
            dict(zip(names, facts[at + group_count : at - 2 + stride], strict=True)),
        )
        for at, (start, end) in zip(range(2, len(facts), stride), spans, strict=True)
    )


def _decode_answer(answer: str) -> tuple[int, int, list[str], list[JsonValue]]:
    try:
        units, group_count, names, *facts = decode_json(answer)
    except msgspec.DecodeError:
        # Half of a surrogate pair in a group: only the standard library reads that.
        units, group_count, names, *facts = json.loads(answer)
    return units, group_count, names, facts


class _Utf16Offsets:
    """UTF-16 offsets as Python characters, for a text with characters beyond the BMP.

    Without the `u` flag a match may begin or end inside such a character: spans are widened to
    whole characters, but never into the match before. An empty one stays empty, behind it.
    """

    def __init__(self, text: str) -> None:
        self._pairs = [found.start() + n for n, found in enumerate(_ASTRAL.finditer(text))]
        self._end = 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        before, after = self._around(start)
        _, last = self._around(end)
        first = max(after if start == end else before, self._end)
        self._end = max(first, last)
        return first, self._end

    def _around(self, offset: int) -> tuple[int, int]:
        """The character boundaries at or next to a UTF-16 offset."""
        before = bisect_left(self._pairs, offset)
        splits_a_pair = before > 0 and self._pairs[before - 1] == offset - 1
        return offset - before, offset - before + splits_a_pair
