"""Counting tokens."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rs_bpe.bpe import openai  # type: ignore[import-not-found]

from yarrow.prompting.tokens import TokenCounter, estimate_tokens

_SEAMS = ("\n", " ", "/", "a", "B", "中", "1", "'s", ".", "!", "\t", "\r", "\u00a0", "\u0301", "😀")


@pytest.fixture(scope="module")
def count() -> TokenCounter:
    return TokenCounter()


@pytest.mark.parametrize(
    "text, tokens",
    [
        # The examples of OpenAI's cookbook, o200k_base.
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 7),
        ("お誕生日おめでとう", 8),
        ("", 0),
    ],
)
def test_count_is_that_of_the_vocabulary(count, text, tokens):
    assert count(text) == tokens


def test_asking_again_gives_the_same(count):
    assert count("The northern pass is watched.") == count("The northern pass is watched.")


@given(st.lists(st.sampled_from(_SEAMS), min_size=2, max_size=12).map("".join))
def test_lines_counted_one_by_one_are_as_many_as_at_once(text):
    assert TokenCounter()(text) == openai.o200k_base().count(text)


def test_lone_surrogates_are_counted(count):
    assert count("a\ud800b") > 0


def test_a_long_text_is_counted_in_pieces(count):
    assert count("中 " * 150_000) == pytest.approx(150_000, rel=0.01)


@pytest.mark.parametrize("text", ["a" * 1_000_000, "中" * 300_000, "\n" * 1_000_000])
def test_a_hostile_text_is_counted(count, text):
    assert 0 < count(text) <= len(text)


def test_forgotten_texts_are_counted_anew():
    small = TokenCounter(entries=2, characters=12)
    texts = ["one", "two two", "a much longer text than fits", "one", "", "two two"] * 3

    assert [small(text) for text in texts] == [TokenCounter()(text) for text in texts]


async def test_threads_may_count_at_once():
    counter = TokenCounter(entries=5)
    texts = [f"sentence number {n % 9}" for n in range(300)]

    counts = await asyncio.gather(*(asyncio.to_thread(counter, text) for text in texts))

    assert counts == [TokenCounter()(text) for text in texts]


@pytest.mark.parametrize(
    "text, tokens",
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("你好世界", 1), ("😀😀😀", 2), ("\ud800", 1)],
)
def test_fallback_is_a_quarter_of_utf16_rounded_up(text, tokens):
    assert estimate_tokens(text) == tokens
