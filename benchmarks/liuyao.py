"""How fast a casting is, beside najia in the same run, and how far the reading agrees.

    python -m benchmarks.liuyao [--castings N] [--najia N] [--cases]

Castings are complete: pillars, board, interactions and the payload as the wire prints it, at
random moments over ten years. Time is CPU time of this process, best of three rounds; the
first round, with empty caches, is printed too. najia gets one round: it remembers the last year
it computed, so a second round over few castings would measure its memory. Exits with 1 below a
floor.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

from msgspec import Struct
from najia import Najia

from yarrow.liuyao import Cast, derive, write_payload, write_reading
from yarrow.liuyao.coins import YAO_LINES
from yarrow.liuyao.pillars import PILLAR_NAMED, load_jie_table
from yarrow.liuyao.reading.judge import judge_matter
from yarrow.liuyao.reading.yong_shen import Matter, Topic
from yarrow.liuyao.situation import build_situation

FLOOR_CASTINGS = 15_000
FLOOR_RATIO = 100
FLOOR_DIRECTION = 80
CLASSICAL = Path(__file__).parents[1] / "tests" / "data" / "liuyao" / "classical.json"
START = datetime(2016, 1, 1, tzinfo=timezone(timedelta(hours=8)))
TEN_YEARS = 10 * 365 * 86400
# najia's own numbers for the four kinds of line.
NAJIA_LINE = {"少阳": 1, "少阴": 2, "老阳": 3, "老阴": 4}
OWN = frozenset({"事业", "财运", "学业", "感情", "失物", "文书"})


def random_casts(count: int) -> list[Cast]:
    dice = random.Random(20260403)
    return [
        Cast(
            lines=tuple(dice.choices(YAO_LINES, weights=(3, 3, 1, 1), k=6)),
            moment=START + timedelta(seconds=dice.randrange(TEN_YEARS)),
            question="我最近换工作是否合适?",
            question_type="事业",
            method="自动起卦",
        )
        for _ in range(count)
    ]


def rates(work: Callable[[Cast], object], items: Sequence[Cast], rounds: int) -> list[float]:
    """Items per second of CPU time, one figure for each round."""
    found = []
    for _ in range(rounds):
        start = time.process_time()
        for item in items:
            work(item)
        found.append(len(items) / (time.process_time() - start))
    return found


def with_najia(cast: Cast) -> object:
    params = [NAJIA_LINE[line] for line in cast.lines]
    return Najia(0).compile(params=params, date=cast.moment.strftime("%Y-%m-%d %H:%M"))


class Case(Struct, frozen=True):
    number: int
    matter: str
    topic: str
    good: bool
    score: float

    @property
    def right(self) -> bool:
        return (self.score >= 0) == self.good


def classical_cases() -> list[Case]:
    found = []
    for row in json.loads(CLASSICAL.read_text("utf-8"))["rows"]:
        situation = build_situation(row[6], row[7], month=row[8], day=PILLAR_NAMED[row[9]])
        matter = Matter(Topic(row[11]), row[10], own=row[11] in OWN, illness=row[12])
        score = judge_matter(situation, matter).score
        found.append(Case(row[0], row[3], row[11], row[13] > 0, score))
    return found


def print_speed(castings: int, peers: int) -> bool:
    casts = random_casts(castings)
    load_jie_table()
    ours = rates(lambda cast: write_payload(derive(cast)), casts, 3)
    theirs = rates(with_najia, casts[:peers], 1)[0]
    readings = max(rates(lambda cast: write_reading(derive(cast)), casts[: castings // 5], 2))
    best = max(ours)
    print(f"complete castings      {best:>10,.0f} /s   floor {FLOOR_CASTINGS:,}")
    print(f"  with empty caches    {ours[0]:>10,.0f} /s")
    print(f"najia 2.0.1            {theirs:>10,.0f} /s")
    print(f"ratio to najia         {best / theirs:>10,.0f} x    floor {FLOOR_RATIO}")
    print(f"derive and read        {readings:>10,.0f} /s")
    return best >= FLOOR_CASTINGS and best / theirs >= FLOOR_RATIO


def print_agreement(*, show_cases: bool) -> bool:
    cases = classical_cases()
    total, right = len(cases), sum(case.right for case in cases)
    base = max(Counter(case.good for case in cases).values())
    print(f"\nclassical cases: direction right in {right} of {total}, floor {FLOOR_DIRECTION}")
    print(f"  (always saying the commoner outcome would be right in {base})")
    for topic, count in Counter(case.topic for case in cases).most_common():
        hits = sum(case.right for case in cases if case.topic == topic)
        print(f"  {topic}  {hits:>3} of {count:>3}")
    if show_cases:
        for case in cases:
            if not case.right:
                outcome = "good" if case.good else "bad"
                print(f"  wrong: {case.number:>4} {case.matter}  {outcome}, {case.score:+.2f}")
    return right >= FLOOR_DIRECTION


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.liuyao", description=__doc__)
    parser.add_argument("--castings", type=int, default=20_000)
    parser.add_argument("--najia", type=int, default=300)
    parser.add_argument("--cases", action="store_true", help="list the cases judged wrong")
    given = parser.parse_args(arguments)
    fast = print_speed(given.castings, given.najia)
    agrees = print_agreement(show_cases=given.cases)
    return 0 if fast and agrees else 1


if __name__ == "__main__":
    sys.exit(main())
