"""Delimiters are found over many lines: the first one may be a title."""

import pytest

from yarrow.sandbox.files.delimiters import NO_DELIMITER, detect_delimiter


@pytest.mark.parametrize(
    ("text", "filename", "delimiter"),
    [
        ("a,b\n1,2\n", "t.csv", ","),
        ("a;b\n1,5;2,5\n", "t.csv", ";"),
        ("Report, 2024\n\na;b\n1;2\n3;4\n", "t.csv", ";"),
        ("Sales; draft\nid,text\n1,hello\n2,bye\n", "t.csv", ","),
        ('id,text\n1,"a;b;c"\n2,"d;e;f"\n', "t.csv", ","),
        ("a|b\n1|2\n", "t.txt", "|"),
        ("a\tb,c\n1\t2,5\n", "t.txt", "\t"),
        ("a,b\n", "t.tsv.gz", "\t"),
        ("one column\nonly\n", "t.csv", ","),
        ("title\nhello\ngood, bad\nugly\n", "t.csv", NO_DELIMITER),
        ("title\nhello\nugly\ngood, bad\n", "t.csv", NO_DELIMITER),
        ("Report\nby us\nof May\na,b\n1,2\n", "t.csv", ","),
        ("", "t.csv", ","),
    ],
)
def test_the_delimiter_is_that_of_most_lines(text: str, filename: str, delimiter: str) -> None:
    assert detect_delimiter(text.encode(), filename) == delimiter
