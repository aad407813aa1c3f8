"""Texts and questions in traditional script."""

import msgspec
import pytest
from tests.unit.charting.question_table import CHINESE, ROWS, QuestionTable, open_table

from yarrow.charting import ChartLanguage, find_question_language
from yarrow.charting.notes import NOTE_TEXTS, Note
from yarrow.charting.question_words import QUESTIONS
from yarrow.charting.words import WORDS
from yarrow.language.chinese_script import find_script
from yarrow.language.languages import Language
from yarrow.web.words import TABLE

TRADITIONAL = f"""
    SELECT DATE '2021-01-01' + (i % 1095)::INTEGER AS 訂單日期,
        ['臺北', '臺中', '高雄', '臺南', '桃園', '新竹'][i * 5 % 6 + 1] AS 縣市,
        ['門市', '網路'][i // 7 % 2 + 1] AS 通路, i * 37 % 1000 + i * 5 % 6 * 3 AS 銷售額
    FROM range({ROWS}) AS t(i)
"""


def test_no_text_in_traditional_script_has_a_simplified_character() -> None:
    texts = [
        *NOTE_TEXTS[ChartLanguage.HANT].values(),
        *(w.text + w.goal for each in QUESTIONS[ChartLanguage.HANT].values() for w in each),
        str(WORDS[ChartLanguage.HANT]),
    ]

    assert [t for t in texts if any(find_script(c) is Language.HANS for c in t)] == []


def test_rows_and_columns_have_the_words_of_the_pages() -> None:
    words = msgspec.json.decode(TABLE.read_bytes(), type=dict[str, dict[str, str]])
    notes = NOTE_TEXTS[ChartLanguage.HANT]

    assert words["data.row_count"]["zh-Hant"] == "{rows} 列"
    assert words["data.column_count"]["zh-Hant"] == "{columns} 欄"
    assert notes[Note.OUTSIDE].startswith("{count} 列")
    assert notes[Note.NO_TIME_COLUMN].endswith("時間欄")
    assert [text for text in notes.values() if "行" in text] == []
    assert "並列" in notes[Note.TIES_INCLUDED]


@pytest.mark.parametrize("table", ["訂單", "订单"])
def test_a_traditional_question_is_read_as_a_simplified_one(table: str) -> None:
    simplified = open_table("订单").ask("2022年北方以外销售额最高的前3个城市")

    asked = QuestionTable(table, CHINESE).ask("2022年北方以外銷售額最高的前3個城市")

    assert asked.chart is not None
    assert simplified.chart is not None
    assert asked.chart.rows == simplified.chart.rows


@pytest.mark.parametrize("question", ["2023年臺北各通路銷售額", "2023年台北各通路销售额"])
def test_columns_and_values_are_found_in_either_script(question: str) -> None:
    table = QuestionTable("訂單", TRADITIONAL)

    asked = table.ask(question)

    assert asked.values("通路", "銷售額") == table.pairs(
        "SELECT 通路, sum(銷售額) FROM 訂單 WHERE year(訂單日期) = 2023 AND 縣市 = '臺北' "
        "GROUP BY 1"
    )


def test_a_traditional_question_is_answered_in_traditional_script() -> None:
    asked = QuestionTable("訂單", TRADITIONAL).ask("銷售額最高的前2個縣市，火星")

    assert asked.title == "縣市：銷售額合計最大的 2 項 | 30,000 列中的 10,000 列"
    assert "問題中的「火星」沒有讀取，不起作用" in asked.notes
    assert "縣市：畫出 2 項，其餘 4 項沒有畫出" in asked.notes


@pytest.mark.parametrize(
    ("question", "client", "language"),
    [
        ("各地區的銷售額", ChartLanguage.ZH, ChartLanguage.HANT),
        ("各地区的销售额", ChartLanguage.HANT, ChartLanguage.ZH),
        ("收入最高的城市", ChartLanguage.HANT, ChartLanguage.HANT),
        ("收入最高的城市", ChartLanguage.ZH, ChartLanguage.ZH),
    ],
)
def test_the_script_of_the_question_comes_before_that_of_the_client(
    question: str, client: ChartLanguage, language: ChartLanguage
) -> None:
    assert find_question_language(question, [], chinese=client) is language
