"""A large book over a long chat stays a matter of milliseconds, and grows with its hits only."""

import time

from tests.unit.prompting.worldbook.scanning import compiled, entry, scanned, uids

HANZI = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往"
SOON_S = 0.25
"""Thirty times what it takes on a quiet machine; entries × messages would take seconds."""


def keys(number: int) -> list[str]:
    chinese = "".join(HANZI[number // 20**place % 20] for place in range(4))
    return [f"realm{number:05}", f"古{chinese}城", f"Lord {number:05}"]


def test_ten_thousand_entries_over_two_thousand_messages_scan_soon():
    book = compiled(*(entry(n, *keys(n)) for n in range(10_000)), scanDepth=2_000)
    messages = [f"They walk on, day {day}, 风很大,没有人说话。" for day in range(2_000)]
    messages[1_999] = "At last, lord 04711."
    messages[1_000] = "他们看见" + keys(123)[1]
    scanned(book, *messages)

    began = time.thread_time()
    result = scanned(book, "Realm09999!", *messages[:-1], messages[-1])
    spent = time.thread_time() - began

    assert uids(result) == [123, 9_999]
    assert uids(scanned(book, *messages)) == [123, 4_711]
    assert spent < SOON_S


def test_a_chain_of_lore_is_read_once():
    chain = [entry(n, f"link{n:04}.", content=f"link{n + 1:04}.") for n in range(3_000)]
    book = compiled(*chain, recursive=True)

    began = time.thread_time()
    result = scanned(book, "link0000.")
    spent = time.thread_time() - began

    assert len(result.active) == 3_000
    assert result.active[-1].recursion_level == 2_999
    assert spent < 4 * SOON_S
