"""The four pillars of a moment.

Year and month follow the instant against the table of the twelve 节 (立春 opens the year);
day and hour follow the civil clock of the offset that came with the moment. At 23:00 the hour
of 子 begins; whether the day changes with it or at midnight is the `DayBoundary`. Only the day
pillar between 23:00 and midnight differs: the hour takes the coming day's stem either way.
"""

from bisect import bisect_right
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Final

from msgspec import Struct
from msgspec.json import decode

from yarrow.errors import InvalidInput
from yarrow.liuyao.data_files import read_data
from yarrow.liuyao.stems_branches import BRANCHES, STEMS, Branch, Stem
from yarrow.liuyao.void_branches import find_void_branches

_ORDINAL_TO_CYCLE: Final = 14  # 2000-01-01 is 戊午


class DayBoundary(StrEnum):
    """When the day pillar changes."""

    LATE_ZI = "23:00"
    MIDNIGHT = "00:00"


class Pillar(Struct, frozen=True):
    """One of the sixty pairs of stem and branch, and the two branches its decade lacks (旬空)."""

    index: int
    stem: Stem
    branch: Branch
    name: str
    void: tuple[Branch, Branch]
    void_name: str


def _build_pillar(index: int) -> Pillar:
    stem, branch = STEMS[index % 10], BRANCHES[index % 12]
    void = find_void_branches(index)
    return Pillar(index, stem, branch, stem + branch, void, void[0] + void[1])


CYCLE: Final[tuple[Pillar, ...]] = tuple(_build_pillar(i) for i in range(60))
PILLAR_NAMED: Final[dict[str, Pillar]] = {pillar.name: pillar for pillar in CYCLE}


class Pillars(Struct, frozen=True):
    year: Pillar
    month: Pillar
    day: Pillar
    hour: Pillar


class JieTable(Struct, frozen=True):
    """The instants (UTC seconds) at which months begin, first entry 小寒 of `first_year`."""

    first_year: int
    last_year: int
    instants: tuple[int, ...]


@cache
def load_jie_table() -> JieTable:
    """The table that ships with the package; read once."""
    text = read_data("jie.json")
    table = decode(text)
    instants = tuple(instant for row in table["rows"] for instant in row)
    first, last = table["years"]
    return JieTable(first, last, instants)


def compute_pillars(moment: datetime, boundary: DayBoundary) -> Pillars:
    """The pillars of an aware `moment` on the clock of its own offset."""
    if moment.utcoffset() is None:
        raise InvalidInput("the time needs a timezone offset", field="divinationTimeIso")
    year, month = _compute_year_and_month(moment)
    ordinal, clock = moment.toordinal(), moment.hour
    civil = ordinal + _ORDINAL_TO_CYCLE
    begun = civil + 1 if clock == 23 else civil
    day = begun if boundary is DayBoundary.LATE_ZI else civil
    hour = begun % 5 * 12 + (clock + 1) // 2 % 12
    return Pillars(year, month, CYCLE[day % 60], CYCLE[hour])


def _compute_year_and_month(moment: datetime) -> tuple[Pillar, Pillar]:
    table = load_jie_table()
    place = bisect_right(table.instants, moment.timestamp()) - 1
    # Months count from 立春, so 小寒 (place 0 of its row) still belongs to the year before.
    years, month = divmod(place - 1, 12)
    if place < 1 or moment.year > table.last_year:
        raise InvalidInput(
            f"the time must lie between 立春 {table.first_year} and the end of {table.last_year}",
            field="divinationTimeIso",
        )
    year = (table.first_year + years - 4) % 60
    # The pair of 寅 in a year of stem s; pairs of following months follow in the cycle.
    first_month = (year % 5 * 12 + 2) % 60
    return CYCLE[year], CYCLE[(first_month + month) % 60]
