"""Both scripts of Chinese."""

import pytest

from yarrow.language.chinese_script import find_script, fold_script, to_traditional
from yarrow.language.languages import Language


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("各地区的销售额", Language.HANS),
        ("各地區的銷售額", Language.HANT),
        ("2023年收入最高的城市", None),
        ("台北", None),
        ("revenue by region", None),
    ],
)
def test_a_script_is_known_by_characters_of_its_own(text: str, script: Language | None) -> None:
    assert find_script(text) is script


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [("銷售額最高的前5個城市", "销售额最高的前5个城市"), ("頭髮與發票", "头发与发票")],
)
def test_folding_keeps_the_length(traditional: str, simplified: str) -> None:
    assert fold_script(traditional) == simplified
    assert fold_script(simplified) == simplified


@pytest.mark.parametrize(
    ("simplified", "traditional"),
    [("“{words}”按周汇总", "「{words}」按週彙總"), ("5 分钟之后", "5 分鐘之後"), ("重复", "重複")],
)
def test_words_are_written_as_is_usual(simplified: str, traditional: str) -> None:
    assert to_traditional(simplified) == traditional
