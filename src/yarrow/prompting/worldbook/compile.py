"""Compile a book for scanning. Takes milliseconds, so callers cache the result by asset version."""

from msgspec import Struct, field

from yarrow.kit.cache import LruCache
from yarrow.prompting.regex_engine.port import JsRegex, RegexEngine
from yarrow.prompting.worldbook.key_index import (
    KeyIndex,
    PlainKey,
    Span,
    is_one_word,
    may_cross_lines,
    parse_regex_key,
)
from yarrow.prompting.worldbook.model import EntryDecorator, LoreEntry, Worldbook

CACHED_RESOLUTIONS = 16
CACHED_TRIALS = 4096

MACRO = "{{"


class EntryPlan(Struct, frozen=True):
    """An entry and the numbers of its keys, in key order."""

    entry: LoreEntry
    primary: tuple[int, ...] = ()
    secondary: tuple[int, ...] = ()


class DeferredKey(Struct, frozen=True):
    """A key that can only be resolved during a scan: it has macros, or it is a regex."""

    number: int
    key: str
    owner: int
    exact: bool
    whole: bool


class RegexTrial(Struct, frozen=True):
    """Which regexes were tried on a text, and where they matched."""

    tried: frozenset[int]
    spans: dict[int, Span]


class DeferredKeys(Struct, frozen=True):
    """Deferred keys after macro expansion. Those in `spanning` may match across texts."""

    plain: KeyIndex
    regexes: dict[int, JsRegex]
    spanning: frozenset[int]
    invalid: tuple[DeferredKey, ...]
    trials: LruCache[str, RegexTrial] = field(default_factory=lambda: LruCache(CACHED_TRIALS))


class CompiledBook(Struct, frozen=True):
    """A book with its keys in automata. `owners` lists the entries that have a key, by number."""

    book: Worldbook
    plans: tuple[EntryPlan, ...]
    index: KeyIndex
    owners: tuple[tuple[int, ...], ...]
    deferred: tuple[DeferredKey, ...]
    unconditional: tuple[int, ...]
    delays: tuple[int, ...]
    max_depth: int
    deferred_depth: int
    characters: int
    """The length of all contents together."""
    resolutions: LruCache[tuple[str, ...], DeferredKeys] = field(
        default_factory=lambda: LruCache(CACHED_RESOLUTIONS)
    )


def compile_book(book: Worldbook) -> CompiledBook:
    """Build one automaton for case-sensitive plain keys and one for all others."""
    numbering = _KeyNumbering(book)
    plans = tuple(numbering.plan(index, entry) for index, entry in enumerate(book.entries))
    entries = book.entries
    enabled = [index for index, entry in enumerate(entries) if not entry.disabled]
    deferred_owners = {key.owner for key in numbering.deferred}
    depths = {index: scan_depth(entries[index], book) for index in enabled}
    return CompiledBook(
        book=book,
        plans=plans,
        index=KeyIndex({number: plain_key for plain_key, number in numbering.numbers.items()}),
        owners=tuple(tuple(dict.fromkeys(owners)) for owners in numbering.owners),
        deferred=tuple(numbering.deferred),
        unconditional=tuple(index for index in enabled if _needs_no_key(entries[index])),
        delays=tuple(sorted({entries[index].recursion_delay for index in enabled} - {0})),
        max_depth=max(depths.values(), default=0),
        deferred_depth=max((depths[index] for index in deferred_owners), default=0),
        characters=sum(len(entry.content) for entry in entries),
    )


def scan_depth(entry: LoreEntry, book: Worldbook) -> int:
    return book.settings.scan_depth if entry.scan_depth is None else entry.scan_depth


def resolve_deferred_keys(
    deferred: tuple[DeferredKey, ...], texts: tuple[str, ...], *, regexes: RegexEngine
) -> DeferredKeys:
    """Resolve deferred keys by their expanded texts; an invalid regex is used as plain text."""
    plain: dict[int, PlainKey] = {}
    valid: dict[int, JsRegex] = {}
    invalid: list[DeferredKey] = []
    for key, text in zip(deferred, texts, strict=True):
        regex = parse_regex_key(text)
        if regex is not None and regexes.is_valid(regex):
            valid[key.number] = JsRegex(regex.pattern, regex.flags.replace("g", ""))
            continue
        if regex is not None:
            invalid.append(key)
        if text:
            plain[key.number] = PlainKey(text, key.exact, key.whole and is_one_word(text))
    spanning = frozenset(number for number, regex in valid.items() if may_cross_lines(regex))
    return DeferredKeys(KeyIndex(plain), valid, spanning, tuple(invalid))


def _needs_no_key(entry: LoreEntry) -> bool:
    return entry.constant or EntryDecorator.ACTIVATE in entry.decorators


class _KeyNumbering:
    """Numbers the keys; plain keys that are equal and searched alike share a number."""

    def __init__(self, book: Worldbook) -> None:
        self._settings = book.settings
        self.numbers: dict[PlainKey, int] = {}
        self.owners: list[list[int]] = []
        self.deferred: list[DeferredKey] = []

    def plan(self, index: int, entry: LoreEntry) -> EntryPlan:
        if entry.disabled:
            return EntryPlan(entry)
        primary = tuple(self._number_key(key, index, entry) for key in entry.keys)
        secondary = tuple(self._number_key(key, index, entry) for key in entry.secondary)
        return EntryPlan(entry, primary, secondary if entry.selective else ())

    def _number_key(self, key: str, index: int, entry: LoreEntry) -> int:
        settings = self._settings
        exact = settings.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
        whole = settings.whole_words if entry.whole_words is None else entry.whole_words
        text = key.strip()
        if MACRO in text or parse_regex_key(text) is not None:
            number = len(self.owners)
            self.deferred.append(DeferredKey(number, text, index, exact, whole))
            self.owners.append([index])
            return number
        plain_key = PlainKey(text, exact, whole and is_one_word(text))
        number = self.numbers.setdefault(plain_key, len(self.owners))
        if number == len(self.owners):
            self.owners.append([])
        self.owners[number].append(index)
        return number
