"""The texts of the tools' cards, in the languages of cards."""

from dataclasses import dataclass
from typing import Final

from yarrow.kit.language import Language


@dataclass(frozen=True, slots=True)
class ToolWords:
    """The texts in one language."""

    date: str
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


_HANS: Final = ToolWords(
    date="日期",
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
)

_HANT: Final = ToolWords(
    date="日期",
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
)

_ENGLISH: Final = ToolWords(
    date="Date",
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
)

WORDS: Final[dict[Language, ToolWords]] = {
    Language.HANS: _HANS,
    Language.HANT: _HANT,
    Language.ENGLISH: _ENGLISH,
}
