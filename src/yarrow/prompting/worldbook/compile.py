"""A book made ready for scanning. Costs milliseconds once, so callers keep it by asset version."""

from dataclasses import dataclass, field

from yarrow.prompting.lru import Recent
from yarrow.prompting.regex_engine.port import JsRegex, Regexes
from yarrow.prompting.worldbook.key_index import (
    KeyIndex,
    Needle,
    Span,
    is_one_word,
    may_cross_lines,
    read_regex,
)
from yarrow.prompting.worldbook.model import Decorator, Entry, Worldbook

KEPT_RESOLUTIONS = 16
KEPT_TRIALS = 4096

MACRO = "{{"


@dataclass(frozen=True, slots=True)
class Plan:
    """An entry with the numbers of its keys, in the order of its keys."""

    entry: Entry
    primary: tuple[int, ...] = ()
    secondary: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class LateKey:
    """A key that only a scan can read: it has macros, or it is a regex."""

    number: int
    key: str
    owner: int
    exact: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """Which regexes were tried on a text, and where they hit."""

    tried: frozenset[int]
    spans: dict[int, Span]


@dataclass(frozen=True, slots=True)
class LateKeys:
    """Late keys after their macros were expanded. `spanning` may match across texts."""

    plain: KeyIndex
    regexes: dict[int, JsRegex]
    spanning: frozenset[int]
    invalid: tuple[LateKey, ...]
    trials: Recent[str, Trial] = field(default_factory=lambda: Recent(KEPT_TRIALS))


@dataclass(frozen=True, slots=True)
class CompiledBook:
    """A book with its keys in automata. `owners` says which entries have a key, by its number."""

    book: Worldbook
    plans: tuple[Plan, ...]
    index: KeyIndex
    owners: tuple[tuple[int, ...], ...]
    late: tuple[LateKey, ...]
    always: tuple[int, ...]
    delays: tuple[int, ...]
    reach: int
    late_reach: int
    characters: int
    """Of all contents together."""
    resolved: Recent[tuple[str, ...], LateKeys] = field(
        default_factory=lambda: Recent(KEPT_RESOLUTIONS)
    )


def compile_book(book: Worldbook) -> CompiledBook:
    """The book with its plain keys in one automaton for each folding."""
    numbering = _Numbering(book)
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


def scan_depth(entry: Entry, book: Worldbook) -> int:
    return book.settings.scan_depth if entry.scan_depth is None else entry.scan_depth


def resolve(late: tuple[LateKey, ...], texts: tuple[str, ...], *, regexes: Regexes) -> LateKeys:
    """Late keys by their expanded texts; a regex that is none is plain text."""
    plain: dict[int, Needle] = {}
    valid: dict[int, JsRegex] = {}
    invalid: list[LateKey] = []
    for key, text in zip(late, texts, strict=True):
        regex = read_regex(text)
        if regex is not None and regexes.is_valid(regex):
            valid[key.number] = JsRegex(regex.pattern, regex.flags.replace("g", ""))
            continue
        if regex is not None:
            invalid.append(key)
        if text:
            plain[key.number] = Needle(text, key.exact, key.whole and is_one_word(text))
    spanning = frozenset(number for number, regex in valid.items() if may_cross_lines(regex))
    return LateKeys(KeyIndex(plain), valid, spanning, tuple(invalid))


def _needs_no_key(entry: Entry) -> bool:
    return entry.constant or Decorator.ACTIVATE in entry.decorators


class _Numbering:
    """Gives each key a number; equal plain keys that are looked for alike share one."""

    def __init__(self, book: Worldbook) -> None:
        self._settings = book.settings
        self.numbers: dict[Needle, int] = {}
        self.owners: list[list[int]] = []
        self.late: list[LateKey] = []

    def plan(self, at: int, entry: Entry) -> Plan:
        if entry.disabled:
            return Plan(entry)
        primary = tuple(self._number(key, at, entry) for key in entry.keys)
        secondary = tuple(self._number(key, at, entry) for key in entry.secondary)
        return Plan(entry, primary, secondary if entry.selective else ())

    def _number(self, key: str, at: int, entry: Entry) -> int:
        given = self._settings
        exact = given.case_sensitive if entry.case_sensitive is None else entry.case_sensitive
        whole = given.whole_words if entry.whole_words is None else entry.whole_words
        text = key.strip()
        if MACRO in text or read_regex(text) is not None:
            number = len(self.owners)
            self.late.append(LateKey(number, text, at, exact, whole))
            self.owners.append([at])
            return number
        needle = Needle(text, exact, whole and is_one_word(text))
        number = self.numbers.setdefault(needle, len(self.owners))
        if number == len(self.owners):
            self.owners.append([])
        self.owners[number].append(at)
        return number
