"""How much a scan reads: every text once, however many entries and passes there are."""

from collections import Counter
from collections.abc import Sequence

import pytest
from tests.unit.prompting.worldbook.example import entry, expand, make_book, scan, uids

from yarrow.prompting.regex_engine import JsRegex, RegexMatch
from yarrow.prompting.worldbook import CompiledBook, LoreScan, ScanRequest, ScanTools, scan_books

HANZI = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往"
REGEX_KEY = "/nowhere/"


class CountingEngine:
    """A regex engine that matches nothing and counts the texts it is asked about."""

    def __init__(self) -> None:
        self.searched: Counter[str] = Counter()

    def is_valid(self, regex: JsRegex) -> bool:
        return True

    def find_matches(self, regex: JsRegex, text: str) -> Sequence[RegexMatch]:
        self.searched[text] += 1
        return ()


def keys(number: int) -> list[str]:
    chinese = "".join(HANZI[number // 20**place % 20] for place in range(4))
    return [f"realm{number:05}", f"古{chinese}城", f"Lord {number:05}"]


def scan_counting(book: CompiledBook, *messages: str) -> tuple[LoreScan, Counter[str]]:
    engine = CountingEngine()
    tools = ScanTools(peek=expand, count=len, regexes=engine)
    return scan_books([book], ScanRequest(messages), tools), engine.searched


@pytest.mark.slow
def test_a_large_book_over_a_long_chat_finds_its_entries():
    book = make_book(*(entry(n, *keys(n)) for n in range(10_000)), scanDepth=2_000)
    messages = [f"They walk on, day {day}, 风很大,没有人说话。" for day in range(2_000)]
    messages[1_999] = "At last, lord 04711."
    messages[1_000] = "他们看见" + keys(123)[1]

    assert uids(scan(book, "Realm09999!", *messages)) == [123, 9_999]
    assert uids(scan(book, *messages)) == [123, 4_711]


def test_every_message_is_searched_once_for_a_regex_of_many_entries():
    book = make_book(*(entry(n, REGEX_KEY) for n in range(50)), scanDepth=20)
    messages = [f"day {day}" for day in range(20)]

    _result, searched = scan_counting(book, *messages)

    assert searched == Counter(dict.fromkeys(messages, 50))


def test_messages_seen_in_an_earlier_scan_are_not_searched_again():
    book = make_book(entry(0, REGEX_KEY), scanDepth=20)
    messages = [f"day {day}" for day in range(20)]
    scan_counting(book, *messages)

    _result, searched = scan_counting(book, "a new day", *messages)

    assert searched == Counter({"a new day": 1})


def test_a_chain_of_lore_is_read_once():
    chain = [entry(n, f"link{n:04}.", content=f"link{n + 1:04}.") for n in range(3_000)]
    book = make_book(*chain, entry(9_999, REGEX_KEY), recursive=True)

    result, searched = scan_counting(book, "link0000.")

    assert len(result.active) == 3_000
    assert result.active[-1].recursion_level == 2_999
    assert set(searched.values()) == {1}
    assert len(searched) == 3_001
