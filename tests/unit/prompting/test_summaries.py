"""Summaries in an answer. Reference §8."""

import pytest

from yarrow.prompting.summaries import ExtractedSummaries, extract_summaries


@pytest.mark.parametrize("tag", ["summary", "摘要", "memory", "记忆", "memo"])
def test_each_tag_holds_a_summary(tag):
    assert extract_summaries(f"a <{tag}>x</{tag}> b") == ExtractedSummaries("a  b", ("x",))


def test_tags_have_any_case():
    assert extract_summaries("<Memo>x</MEMO>").summaries == ("x",)


def test_summary_may_have_several_lines_and_is_trimmed():
    assert extract_summaries("<summary>\n a\nb \n</summary>").summaries == ("a\nb",)


def test_summaries_come_by_tag_then_by_position():
    text = (
        "<memo>5</memo><记忆>4</记忆><memory>3</memory><摘要>2</摘要>"
        "<summary>1a</summary><summary>1b</summary>"
    )

    assert extract_summaries(text).summaries == ("1a", "1b", "2", "3", "4", "5")


def test_blank_summary_is_dropped_and_removed():
    assert extract_summaries("a<summary> \n </summary>b") == ExtractedSummaries("ab", ())


def test_first_closing_tag_ends_a_summary():
    extracted = extract_summaries("<memo>a</memo>b</memo><memo>c</memo>")

    assert extracted == ExtractedSummaries("b</memo>", ("a", "c"))


@pytest.mark.parametrize(
    "text", ["<summary>a", "a</summary>", "<summary id='1'>a</summary>", "<memo>a</memory>"]
)
def test_what_is_not_a_closed_pair_stays(text):
    assert extract_summaries(text) == ExtractedSummaries(text, ())


def test_second_opening_tag_is_part_of_the_summary():
    assert extract_summaries("<memo>a<memo>b</memo>").summaries == ("a<memo>b",)


def test_tag_inside_a_summary_is_its_text():
    extracted = extract_summaries("<summary>a<memo>b</memo></summary>")

    assert extracted == ExtractedSummaries("", ("a<memo>b</memo>",))


def test_gap_left_behind_is_at_most_one_blank_line():
    assert extract_summaries("\na\n\n<memo>x</memo>\n\nb\n\n\n\nc\n").text == "a\n\nb\n\nc"


def test_letters_that_only_look_alike_are_no_tag():
    assert extract_summaries("<\u017fummary>a</\u017fummary>").summaries == ()


@pytest.mark.parametrize(
    "text, count",
    [
        ("<summary>" * 100_000, 0),
        ("<summary>" * 100_000 + "</summary>", 1),
        ("</memo>" * 100_000, 0),
        ("<memo>x</memo>" * 50_000, 50_000),
        ("<" * 1_000_000, 0),
        ("\n" * 1_000_000, 0),
    ],
    ids=["unclosed", "closed once", "unopened", "many", "angles", "newlines"],
)
def test_hostile_text_is_read_once(text, count):
    """Quadratic work on these would exceed the suite's timeout."""
    assert len(extract_summaries(text).summaries) == count
