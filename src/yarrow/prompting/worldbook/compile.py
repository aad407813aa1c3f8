"""A book made ready for scanning. Costs milliseconds once, so callers keep it by asset version."""

from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class EntryPlan:
    """An entry with the numbers of its keys, in the order of its keys."""

    entry: LoreEntry
    primary: tuple[int, ...] = ()
    secondary: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DeferredKey:
    """A key that only a scan can read: it has macros, or it is a regex."""

    number: int
    key: str
    owner: int
    exact: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class RegexTrial:
    """Which regexes were tried on a text, and where they hit."""

    tried: frozenset[int]
    spans: dict[int, Span]


@dataclass(frozen=True, slots=True)
class DeferredKeys:
    """Late keys after their macros were expanded. `spanning` may match across texts."""

    plain: KeyIndex
    regexes: dict[int, JsRegex]
    spanning: frozenset[int]
    invalid: tuple[DeferredKey, ...]
    trials: LruCache[str, RegexTrial] = field(default_factory=lambda: LruCache(CACHED_TRIALS))


@dataclass(frozen=True, slots=True)
class CompiledBook:
    """A book with its keys in automata. `owners` says which entries have a key, by its number."""

    book: Worldbook
    plans: tuple[EntryPlan, ...]
    index: KeyIndex
    owners: tuple[tuple[int, ...], ...]
    late: tuple[DeferredKey, ...]
    always: tuple[int, ...]
    delays: tuple[int, ...]
    reach: int
    late_reach: int
    characters: int
    """Of all contents together."""
    resolved: LruCache[tuple[str, ...], DeferredKeys] = field(
        default_factory=lambda: LruCache(CACHED_RESOLUTIONS)
    )


def compile_book(book: Worldbook) -> CompiledBook:
    """The book with its plain keys in one automaton for each folding."""
    numbering = _KeyNumbering(book)
    plans = tuple(numbering.plan(at, entry) for at, entry in enumerate(book.entries))
    entries = book.entries
    enabled = [at for at, entry in enumerate(entries) if not entry.disabled]
    late_owners = {key.owner for key in numbering.late}
    depths = {at: scan_depth(entries[at], book) for at in enabled}
    return CompiledBook(
        book=book,
        plans=plans,
        index=KeyIndex({number: needle for needle, number in numbering.numbers.items()}),
        owners=tuple(tuple(dict.fromkeys(owners)) for owners in numbering.owners),
        late=tuple(numbering.late),
        always=tuple(at for at in enabled if _needs_no_key(entries[at])),
        delays=tuple(sorted({entries[at].recursion_delay for at in enabled} - {0})),
        reach=max(depths.values(), default=0),
        late_reach=max((depths[at] for at in late_owners), default=0),
        characters=sum(len(entry.content) for entry in entries),
    )


def scan_depth(entry: LoreEntry, book: Worldbook) -> int:
    return book.settings.scan_depth if entry.scan_depth is None else entry.scan_depth


def resolve_deferred_keys(
    late: tuple[DeferredKey, ...], texts: tuple[str, ...], *, regexes: RegexEngine
) -> DeferredKeys:
    """Late keys by their expanded texts; a regex that is none is plain text."""
    plain: dict[int, PlainKey] = {}
    valid: dict[int, JsRegex] = {}
    invalid: list[DeferredKey] = []
    for key, text in zip(late, texts, strict=True):
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
    """Gives each key a number; equal plain keys that are looked for alike share one."""

    def __init__(self, book: Worldbook) -> None:
        self._settings = book.settings
        self.numbers: dict[PlainKey, int] = {}
        self.owners: list[list[int]] = []
        self.late: list[DeferredKey] = []

    def plan(self, at: int, entry: LoreEntry) -> EntryPlan:
        if entry.disabled:
            return EntryPlan(entry)
        primary = tuple(self._number(key, at, entry) for key in entry.keys)
        secondary = tuple(self._number(key, at, entry) for key in entry.secondary)
        return EntryPlan(entry, primary, secondary if entry.selective else ())

    def _number(self, key: str, at: int, entry: LoreEntry) -> int:
        given = self._settings
        exact = given.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
        whole = given.whole_words if entry.whole_words is None else entry.whole_words
        text = key.strip()
        if MACRO in text or parse_regex_key(text) is not None:
            number = len(self.owners)
            self.late.append(DeferredKey(number, text, at, exact, whole))
            self.owners.append([at])
            return number
        needle = PlainKey(text, exact, whole and is_one_word(text))
        number = self.numbers.setdefault(needle, len(self.owners))
        if number == len(self.owners):
            self.owners.append([])
        self.owners[number].append(at)
        return number
