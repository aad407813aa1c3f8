"""What a rule is, and the rules for what a moving line changes into."""

from typing import Final

from msgspec import Struct


class ReadingRule(Struct, frozen=True):
    name: str
    weight: float
    zh: str
    en: str
    basis: str


CHANGES: Final[dict[str, ReadingRule]] = {
    "回头生": ReadingRule(
        "回头生", 2.0, "动化回头生", "its change feeds it back (回头生)", "增删卜易·动变生克冲合章"
    ),
    "回头克": ReadingRule(
        "回头克", -2.5, "动化回头克", "its change controls it (回头克)", "增删卜易·动变生克冲合章"
    ),
    "化进神": ReadingRule(
        "化进神", 1.2, "动化进神", "it advances (化进神)", "卜筮正宗·变出进退神论"
    ),
    "化退神": ReadingRule(
        "化退神", -1.0, "动化退神", "it retreats (化退神)", "卜筮正宗·变出进退神论"
    ),
    "化冲": ReadingRule(
        "化冲", -0.8, "动而化冲", "it moves into its clash (化冲)", "卜筮正宗·反吟卦定例"
    ),
    "化合": ReadingRule(
        "化合", 0.3, "动而化合", "it moves into its combine (化合)", "增删卜易·六合章"
    ),
    "化伏吟": ReadingRule(
        "化伏吟", -0.7, "动化伏吟，动如不动", "it moves into itself (伏吟)", "卜筮正宗·伏吟卦定例"
    ),
    "化空": ReadingRule(
        "化空", -0.5, "动而化空", "it moves into the void (化空)", "增删卜易·旬空章"
    ),
    "化破": ReadingRule("化破", -0.5, "动而化破", "it moves into 月破 (化破)", "增删卜易·月破章"),
    "化墓": ReadingRule(
        "化墓", -0.9, "动而化墓", "it moves into its tomb (化墓)", "增删卜易·生旺墓绝章"
    ),
    "化绝": ReadingRule(
        "化绝", -1.0, "动而化绝", "it moves into its end (化绝)", "增删卜易·生旺墓绝章"
    ),
    "化长生": ReadingRule(
        "化长生", 0.5, "动化长生", "it moves into its birth (化长生)", "增删卜易·生旺墓绝章"
    ),
    "化泄": ReadingRule("化泄", -0.4, "动而化泄", "its change drains it (化泄)", "增删卜易·动变章"),
    "化耗": ReadingRule("化耗", -0.2, "动而化耗", "its change tires it (化耗)", "增删卜易·动变章"),
}
