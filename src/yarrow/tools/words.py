"""The texts of the tools' cards, in the languages of cards."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from yarrow.language.languages import Language
from yarrow.points.model import ChangeType


class ToolWords(Struct, frozen=True):
    """The texts in one language."""

    date: str
    days: str
    lunar: str
    timezone: str
    weekdays: tuple[str, ...]
    points: str
    available: str
    held: str
    spent: str
    found: str
    found_nothing: str
    untitled: str
    question: str
    time: str
    board: str
    columns: tuple[str, ...]
    places: tuple[str, ...]
    conclusion: str
    advice: str
    expression: str
    movements: str
    no_movements: str
    ledger_columns: tuple[str, ...]
    changes: Mapping[ChangeType, str]
    docs: str
    no_docs: str
    tables: str
    no_tables: str
    rows: str
    measures: Mapping[str, str]


def _name_changes(register: str, consume: str, grant: str, adjust: str) -> dict[ChangeType, str]:
    return {
        ChangeType.REGISTER: register,
        ChangeType.CONSUME: consume,
        ChangeType.GRANT: grant,
        ChangeType.ADJUST: adjust,
    }


def _name_measures(
    total: str, average: str, highest: str, lowest: str, count: str
) -> dict[str, str]:
    return {"sum": total, "average": average, "max": highest, "min": lowest, "count": count}


_HANS: Final = ToolWords(
    date="日期",
    days="{count} 天",
    lunar="农历",
    timezone="时区",
    weekdays=("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    points="积分",
    available="可用",
    held="冻结",
    spent="累计消费",
    found="找到 {count} 个会话",
    found_nothing="没有找到相关会话",
    untitled="未命名会话",
    question="所问",
    time="起卦时间",
    board="卦盘",
    columns=("爻位", "六神", "本卦", "标记", "变卦"),
    places=("初爻", "二爻", "三爻", "四爻", "五爻", "上爻"),
    conclusion="断语",
    advice="建议",
    expression="算式",
    movements="积分流水",
    no_movements="还没有积分变动",
    ledger_columns=("时间", "事由", "变动", "余额"),
    changes=_name_changes("注册赠送", "运行消费", "发放", "调整"),
    docs="文档",
    no_docs="文档中没有找到",
    tables="上传的表格",
    no_tables="还没有上传表格",
    rows="行数",
    measures=_name_measures("总和", "平均值", "最大值", "最小值", "行数"),
)

_HANT: Final = ToolWords(
    date="日期",
    days="{count} 天",
    lunar="農曆",
    timezone="時區",
    weekdays=("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    points="積分",
    available="可用",
    held="凍結",
    spent="累計消費",
    found="找到 {count} 個會話",
    found_nothing="沒有找到相關會話",
    untitled="未命名會話",
    question="所問",
    time="起卦時間",
    board="卦盤",
    columns=("爻位", "六神", "本卦", "標記", "變卦"),
    places=("初爻", "二爻", "三爻", "四爻", "五爻", "上爻"),
    conclusion="斷語",
    advice="建議",
    expression="算式",
    movements="積分流水",
    no_movements="還沒有積分變動",
    ledger_columns=("時間", "事由", "變動", "餘額"),
    changes=_name_changes("註冊贈送", "運行消費", "發放", "調整"),
    docs="文檔",
    no_docs="文檔中沒有找到",
    tables="上傳的表格",
    no_tables="還沒有上傳表格",
    rows="行數",
    measures=_name_measures("總和", "平均值", "最大值", "最小值", "行數"),
)

_ENGLISH: Final = ToolWords(
    date="Date",
    days="{count} days",
    lunar="Lunar date",
    timezone="Time zone",
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    points="Points",
    available="Available",
    held="Held for runs",
    spent="Spent so far",
    found="Sessions found: {count}",
    found_nothing="No session found",
    untitled="Untitled session",
    question="Question",
    time="Cast at",
    board="Board",
    columns=("Line", "六神", "Hexagram", "Marks", "Becomes"),
    places=("1 初爻", "2 二爻", "3 三爻", "4 四爻", "5 五爻", "6 上爻"),
    conclusion="Conclusion",
    advice="Advice",
    expression="Expression",
    movements="Movements of points",
    no_movements="No points have moved yet",
    ledger_columns=("When", "Why", "Points", "Balance"),
    changes=_name_changes("Registration", "Run", "Grant", "Adjustment"),
    docs="From the docs",
    no_docs="The docs have nothing about it",
    tables="Uploaded tables",
    no_tables="No table uploaded yet",
    rows="Rows",
    measures=_name_measures("Sum of", "Average of", "Maximum of", "Minimum of", "Rows"),
)

WORDS: Final[dict[Language, ToolWords]] = {
    Language.HANS: _HANS,
    Language.HANT: _HANT,
    Language.ENGLISH: _ENGLISH,
}
