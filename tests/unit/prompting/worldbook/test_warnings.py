"""What was wrong with a file is told with every scan of its book."""

from dataclasses import replace

from tests.unit.prompting.worldbook.scanning import CARD, compiled, entry, scanned


def test_fields_that_could_not_be_read_are_told_under_the_books_present_name():
    book = compiled(entry(3, "inn", order="high"))
    named = replace(book, book=replace(book.book, source=CARD))

    [warning] = scanned(named, "inn").warnings

    assert (warning.code.value, warning.source, warning.uid) == ("field_invalid", CARD, 3)
    assert "order" in warning.detail


def test_a_book_that_is_all_wrong_is_told_in_short():
    book = compiled(*(entry(uid, "inn", order="high") for uid in range(1_000)))

    warnings = scanned(book, "inn").warnings

    assert len(warnings) == 101
    assert "900 more" in warnings[-1].detail
