"""JavaScript regular expressions run by QuickJS with time and memory limits.

Time is CPU time of the calling thread: an assembly must not lose a rule because the machine was
busy. Compiling a pattern cannot be interrupted, hence the limit on a pattern's weight.
"""

import json
import re
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import msgspec
import quickjs  # type: ignore[import-untyped]

from yarrow.prompting.regex_engine.port import JsRegex, RegexMatch, RegexTimedOut
from yarrow.prompting.regex_engine.slow_patterns import SlowPatterns

_MEMORY_LIMIT_BYTES = 64 * 1024 * 1024
_STACK_LIMIT_BYTES = 256 * 1024
_TEXT_LIMIT = 4_000_000
_PATTERN_WEIGHT_LIMIT = 10_000
_PROPERTY_CLASS_WEIGHT = 100
r"""`\p{…}` expands to hundreds of ranges, so such a class weighs as much as this many characters.
"""

_ATTEMPTS = 3
_FAIR_SHARE = 0.8
_SURROGATE = re.compile("[\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_NO_MATCHES = "[]"
_MatchValues: TypeAlias = list[Any]
"""Of each match: start, end, its groups, its named groups; numbers and text in one list."""
_answer_decoder = msgspec.json.Decoder(list)


# One call per search. The answer is [text length, groups, names, [start, end, groups…, named…]…]
# in UTF-16 units, as JSON: it escapes lone surrogates, which a plain string could not carry.
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
    """The engine of one assembly: cheap to create, with a time allowance shared by all calls.

    With `slow`, patterns that timed out for the same owner are not tried again for a while.
    """

    def __init__(
        self,
        *,
        call_limit_s: float = 0.1,
        allowance_s: float = 1.0,
        slow: SlowPatterns | None = None,
        owner: str = "",
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        """`clock` returns the CPU time of the calling thread in seconds."""
        self._call_limit = call_limit_s
        self._left = allowance_s
        self._slow, self._owner = slow, owner
        self._clock = clock

    def is_valid(self, regex: JsRegex) -> bool:
        """Whether JavaScript compiles the pattern; False if it is too long to be tried.

        True if the allowance is used up: nothing is known then, and `find_matches` raises.
        """
        try:
            return self._run_regex(regex, None) is not None
        except RegexTimedOut:
            return True

    def find_matches(self, regex: JsRegex, text: str) -> Sequence[RegexMatch]:
        """Return no matches for an invalid pattern. A group may contain a lone surrogate."""
        if len(text) > _TEXT_LIMIT or (self._slow and self._slow.is_suspended(self._owner, regex)):
            raise RegexTimedOut
        return self._run_regex(regex, text) or ()

    def _run_regex(self, regex: JsRegex, text: str | None) -> Sequence[RegexMatch] | None:
        """Return the matches, or None if the pattern is invalid."""
        if not _is_short_enough(regex.pattern):
            return None
        limit, spent = self._call_limit, 0.0
        for _ in range(_ATTEMPTS):
            if self._left <= 0:
                break
            limit = min(limit, self._left)
            interpreter = _open_thread_interpreter()
            started = self._clock()
            try:
                return interpreter.find_matches(regex, text, limit_s=limit)
            except quickjs.JSException as failure:
                if _is_syntax_error(failure):
                    return None
                _drop_interpreter()
                elapsed = self._clock() - started
                spent += elapsed
                if interpreter.is_to_blame(failure, spent_s=elapsed, limit_s=limit):
                    break
            finally:
                self._left -= self._clock() - started
            limit *= 2
        self._record_slow(regex, spent_s=spent)
        raise RegexTimedOut

    def _record_slow(self, regex: JsRegex, *, spent_s: float) -> None:
        """Record a slow pattern, unless the allowance was too short for a fair trial."""
        if self._slow is not None and spent_s >= self._call_limit * _FAIR_SHARE:
            self._slow.record(self._owner, regex)


class _Interpreter:
    """A QuickJS context with the match program; bound to the thread that created it."""

    def __init__(self) -> None:
        self._context = quickjs.Context()
        self._context.set_memory_limit(_MEMORY_LIMIT_BYTES)
        self._context.set_max_stack_size(_STACK_LIMIT_BYTES)
        self._context.eval(_PROGRAM)
        self._matches = self._context.get("matches")
        self._limit = 0.0
        self._calls = 0

    def find_matches(
        self, regex: JsRegex, text: str | None, *, limit_s: float
    ) -> Sequence[RegexMatch]:
        """Return the matches; without a text the pattern is only compiled."""
        if limit_s != self._limit:
            self._context.set_time_limit(limit_s)
            self._limit = limit_s
        self._calls += 1
        pattern = _replace_lone_surrogates(regex.pattern)
        clean_text = None if text is None else _replace_lone_surrogates(text)
        answer: str = self._matches(pattern, regex.flags, clean_text)
        if clean_text is None or answer == _NO_MATCHES:
            return ()
        return _parse_matches(answer, clean_text)

    def is_to_blame(self, failure: quickjs.JSException, *, spent_s: float, limit_s: float) -> bool:
        """Whether the pattern itself exceeded a limit.

        QuickJS measures the CPU time of all threads, and previously compiled patterns use memory
        too.
        """
        message = str(failure)
        if "interrupted" in message:
            return spent_s >= limit_s * _FAIR_SHARE
        return "out of memory" not in message or self._calls == 1


_thread_state = threading.local()


def _open_thread_interpreter() -> _Interpreter:
    try:
        interpreter: _Interpreter = _thread_state.interpreter
    except AttributeError:
        interpreter = _thread_state.interpreter = _Interpreter()
    return interpreter


def _drop_interpreter() -> None:
    """Discard the context: after an interrupt or out-of-memory it cannot be trusted."""
    del _thread_state.interpreter


def _is_syntax_error(failure: quickjs.JSException) -> bool:
    message = str(failure)
    return message.startswith("SyntaxError") and "out of memory" not in message


def _is_short_enough(pattern: str) -> bool:
    """Whether the pattern compiles quickly; compiling cannot be interrupted."""
    if len(pattern) > _PATTERN_WEIGHT_LIMIT:
        return False
    classes = pattern.count("\\p{") + pattern.count("\\P{")
    return len(pattern) + _PROPERTY_CLASS_WEIGHT * classes <= _PATTERN_WEIGHT_LIMIT


def _replace_lone_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be passed to QuickJS; the length stays the same."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def _parse_matches(answer: str, text: str) -> tuple[RegexMatch, ...]:
    units, group_count, names, values = _decode_answer(answer)
    stride = 2 + group_count + len(names)
    spans: Iterable[tuple[int, int]] = zip(values[::stride], values[1::stride], strict=True)
    if units != len(text):
        offsets = _Utf16Offsets(text)
        spans = (offsets.span(start, end) for start, end in spans)
    if stride == 2:
        return tuple([RegexMatch(start, end) for start, end in spans])
    return tuple(
        RegexMatch(
            start,
            end,
            tuple(values[at : at + group_count]),
            dict(zip(names, values[at + group_count : at - 2 + stride], strict=True)),
        )
        for at, (start, end) in zip(range(2, len(values), stride), spans, strict=True)
    )


def _decode_answer(answer: str) -> tuple[int, int, list[str], _MatchValues]:
    try:
        units, group_count, names, *values = _answer_decoder.decode(answer)
    except msgspec.DecodeError:
        # A lone surrogate in a group: only the standard library's parser accepts it.
        units, group_count, names, *values = json.loads(answer)
    return units, group_count, names, values


class _Utf16Offsets:
    """Converts UTF-16 offsets to Python characters, for texts with characters beyond the BMP.

    Without the `u` flag a match may begin or end inside such a character: spans are widened to
    whole characters, but never into the previous match. An empty match stays empty, after the
    character.
    """

    def __init__(self, text: str) -> None:
        self._pairs = [found.start() + n for n, found in enumerate(_ASTRAL.finditer(text))]
        self._end = 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        before, after = self._find_boundaries(start)
        _, last = self._find_boundaries(end)
        first = max(after if start == end else before, self._end)
        self._end = max(first, last)
        return first, self._end

    def _find_boundaries(self, offset: int) -> tuple[int, int]:
        """Return the character boundaries at or around a UTF-16 offset."""
        before = bisect_left(self._pairs, offset)
        splits_a_pair = before > 0 and self._pairs[before - 1] == offset - 1
        return offset - before, offset - before + splits_a_pair
