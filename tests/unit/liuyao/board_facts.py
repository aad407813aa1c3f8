"""The facts of a board, computed from the fields of the `divination` object with own tables."""

from typing import Any

from msgspec import Struct

BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
ELEMENT = dict(zip(BRANCHES, "水土木木土火火土金金土水", strict=True))
FEEDS = dict(zip("木火土金水", "火土金水木", strict=True))
CONTROLS = dict(zip("木火土金水", "土金水木火", strict=True))
COMBINE = {
    a: b for x, y in ("子丑", "寅亥", "卯戌", "辰酉", "巳申", "午未") for a, b in ((x, y), (y, x))
}
TOMB = {"木": "未", "火": "戌", "金": "丑", "水": "辰"}
END = {"木": "申", "火": "亥", "金": "寅", "水": "巳", "土": "巳"}
LINGERS = {("木", "辰"), ("火", "未"), ("水", "丑")}
PLACE = "初二三四五上"
LABEL = r"[初二三四五上]爻(?:父母|兄弟|妻财|官鬼|子孙)[子丑寅卯辰巳午未申酉戌亥][木火土金水]"
NAME = r"(?:父母|兄弟|妻财|官鬼|子孙)[子丑寅卯辰巳午未申酉戌亥][木火土金水]"
RULER = r"([子丑寅卯辰巳午未申酉戌亥][木火土金水])"


def clash(branch: str) -> str:
    return BRANCHES[(BRANCHES.index(branch) + 6) % 12]


class FactLine(Struct, frozen=True):
    """A line, or a branch that stands for one, as the payload has it."""

    position: int
    relation: str
    branch: str
    moving: bool
    after: str = ""
    yang: bool = False

    @property
    def element(self) -> str:
        return ELEMENT[self.branch]

    @property
    def label(self) -> str:
        return f"{PLACE[self.position - 1]}爻{self.relation}{self.branch}{self.element}"


class BoardFacts:
    """The facts of a board, derived from the payload alone."""

    def __init__(self, payload: Any) -> None:
        ganzhi = payload["ganzhi"]
        self.month: str = ganzhi["yueJian"][0]
        self.day: str = ganzhi["riChen"][0]
        self.void: str = ganzhi["dayKongWang"]
        targets = payload["targetYaoInfoList"] or [{"tiganName": ""}] * 6
        self.lines = [
            FactLine(
                row["position"], row["relationName"], row["tiganName"], row["isChanging"],
                after["tiganName"] if row["isChanging"] else "", row["isYang"],
            )
            for row, after in zip(payload["yaoInfoList"], targets, strict=True)
        ]  # fmt: skip
        self.hidden = payload["fushenInfoList"]
        self.world: FactLine = self.lines[payload["worldPosition"] - 1]
        self.response: FactLine = self.lines[payload["responsePosition"] - 1]
        self.special: list[str] = payload["specialStatus"]
        self.triads = [text for text in payload["interactions"] if "三合" in text]
        self.names = (payload["guaName"], payload["targetGuaName"])

    def at(self, label: str) -> FactLine:
        line = self.lines[PLACE.index(label[0])]
        assert line.label == label, f"{label} is not on the board"
        return line

    def has_qi(self, line: FactLine) -> bool:
        ruler = ELEMENT[self.month]
        if (line.element, self.month) in LINGERS:
            return True
        return ruler == line.element or FEEDS[ruler] == line.element

    def stirred(self, line: FactLine) -> bool:
        if line.moving or clash(line.branch) != self.day or line.branch in self.void:
            return False
        if clash(line.branch) == self.month:
            return False
        return self.has_qi(line) or line.element == ELEMENT[self.day]

    def acts(self, line: FactLine) -> bool:
        return line.moving or self.stirred(line)

    def helped(self, line: FactLine) -> bool:
        givers = [self.day, *(other.branch for other in self.lines if self.acts(other))]
        return any(
            giver not in (line.branch, clash(line.branch))
            and (ELEMENT[giver] == line.element or FEEDS[ELEMENT[giver]] == line.element)
            for giver in givers
        )

    def undone(self, line: FactLine) -> bool:
        """Moving into what controls, ends or breaks it."""
        if not line.moving:
            return False
        after = ELEMENT[line.after]
        ended = line.after == END[line.element] and FEEDS[after] != line.element
        return CONTROLS[after] == line.element or ended or line.after == clash(self.month)
