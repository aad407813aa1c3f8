"""The beginning of a text file is decoded by the rule of uploads."""

from pathlib import Path

import pytest

from yarrow.sandbox.files.encodings import decode_start, detect_encoding

JAPANESE = "名前,都市\n" + "佐藤さんは東京に住んでいます。\n" * 40
RUSSIAN = "имя,город\n" + "Иван живёт в большом городе Москва\n" * 40


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "utf-8"),
        (JAPANESE, "utf-8-sig"),
        (JAPANESE, "shift_jis"),
        (JAPANESE, "utf-16"),
        (RUSSIAN, "cp1251"),
    ],
)
def test_the_encoding_is_found_as_for_an_upload(text: str, encoding: str) -> None:
    assert decode_start(text.encode(encoding)) == text


def test_a_character_that_the_limit_cut_is_left_out() -> None:
    assert decode_start(JAPANESE.encode()[:-2]) == JAPANESE[:-2]


@pytest.mark.parametrize("first", ["id,name\n", "№,name\n"])
def test_letters_far_down_a_file_decide_its_encoding(first: str, tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    plain = "".join(f"{number},Smith\n" for number in range(9000))
    file.write_bytes(f"{first}{plain}9001,Москва\n9002,Иван\n".encode("cp1251"))

    assert detect_encoding(file) == "cp1251"
