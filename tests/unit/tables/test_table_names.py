"""Names, as reference data-agent.md §8 has them."""

import pytest

from yarrow.tables.table_names import choose_free_name, normalise_table_name, strip_extension


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("Sales", "sales"),
        ("  Sales Data (2025) ", "sales_data_2025"),
        ("a/b\\c", "a_b_c"),
        ("a -- b", "a_b"),
        ("__a__", "a"),
        ("订单明细", "订单明细"),
        ("订单 明细-2025", "订单_明细_2025"),
        ("Ünïcode", "ünïcode"),
        ("2025 sales", "table_2025_sales"),
        ("", "table"),
        ("///", "table"),
        ("../../etc/passwd", "etc_passwd"),
        ("d-result", "d_result"),
    ],
)
def test_a_table_is_named_in_words_and_underscores(given: str, name: str) -> None:
    assert normalise_table_name(given) == name


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("e.csv", "e"),
        ("e.csv.gz", "e"),
        ("E.CSV.GZ", "E"),
        ("e.gz", "e"),
        ("a.b.csv.gz", "a.b"),
        ("e", "e"),
        ("", ""),
    ],
)
def test_a_file_gives_its_name_without_its_endings(filename: str, name: str) -> None:
    assert strip_extension(filename) == name


def test_a_name_is_short_enough_for_a_file() -> None:
    assert len(normalise_table_name("长" * 300).encode()) <= 200


def test_a_name_in_use_gets_the_first_free_number() -> None:
    assert choose_free_name("d_a", set()) == "d_a"
    assert choose_free_name("d_a", {"d_a"}) == "d_a_2"
    assert choose_free_name("d_a", {"d_a", "d_a_2", "d_a_4"}) == "d_a_3"
