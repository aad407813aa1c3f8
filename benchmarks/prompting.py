"""How long assembling a prompt takes, and how that grows with books and history.

    python -m benchmarks.prompting [--rounds N] [--profile SIZE]

Assets are read and compiled once, as a server keeps them; texts have been counted before, and
every round has a new message. Half of the texts are Chinese. Time is CPU time of this process.
Exits with 1 above a ceiling.
"""

import argparse
import random
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from msgspec import Struct
from msgspec.structs import replace
from pyinstrument import Profiler
from tests.loose_json import JsonObject

from yarrow.prompting.assembly import (
    AssemblyAssets,
    AssemblyInput,
    CurrentInput,
    HistoryEntry,
    PromptRuntime,
    assemble,
)
from yarrow.prompting.model import CharacterCard, Persona, PromptRole
from yarrow.prompting.policy import BudgetPolicy, PromptPolicy
from yarrow.prompting.preset import parse_preset
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.tokens import TokenCounter
from yarrow.prompting.worldbook import BookKind, BookSource, compile_book, parse_book

ENGLISH = (
    "The northern pass is watched by old sentries who remember the war and trust nobody. ",
    "She lays another branch on the fire and waits for the rest of the story. ",
    "A merchant from the coast sells maps that are right more often than not. ",
)
CHINESE = (
    "北边的山口由老兵把守，他们记得那场战争，不相信任何人。",
    "她又往火里添了一根树枝，等着故事的下文。",
    "从海边来的商人卖地图，对的时候比错的时候多。",
)
MARKERS = (
    "worldInfoBefore",
    "personaDescription",
    "charDescription",
    "charPersonality",
    "scenario",
    "worldInfoAfter",
    "dialogueExamples",
    "chatHistory",
)
ENTRIES = 25
HITS = 8
"""Entries that a message calls up."""


class Size(Struct, frozen=True):
    """How much there is, and the longest median that is all right, in milliseconds."""

    entries: int
    messages: int
    ceiling: float
    max_input: int | None = None


SIZES = {
    "small": Size(200, 80, 1.5),
    "middle": Size(1_000, 400, 10),
    "large": Size(10_000, 2_000, 50),
    "cut": Size(10_000, 2_000, 50, max_input=16_000),
}


def text(dice: random.Random, sentences: int) -> str:
    return "".join(dice.choice(dice.choice((ENGLISH, CHINESE))) for _ in range(sentences))


def preset(dice: random.Random) -> JsonObject:
    """Twenty-five entries with macros, eight of them markers, two inside the history."""
    written = [
        {
            "identifier": f"entry{at}" if at else "main",
            "role": "system",
            "content": f"{{{{setvar::style{at}::calm}}}}{text(dice, 3)}"
            f"{{{{char}}}} answers {{{{user}}}} {{{{getvar::style{at}}}}}. "
            + ("{{if {{getvar::style0}} == calm}}Slowly.{{else}}Fast.{{/if}}" * (at % 4 == 0)),
            "injection_position": int(at > ENTRIES - len(MARKERS) - 3),
            "injection_depth": at % 5,
        }
        for at in range(ENTRIES - len(MARKERS))
    ]
    markers = [{"identifier": name, "marker": True} for name in MARKERS]
    prompts = [*written[:8], *markers, *written[8:]]
    order = [{"identifier": one["identifier"], "enabled": True} for one in prompts]
    return {
        "prompts": prompts,
        "prompt_order": [{"character_id": 100001, "order": order}],
        "openai_max_context": 128_000,
        "openai_max_tokens": 1_000,
    }


def book(dice: random.Random, count: int) -> JsonObject:
    """Every entry has an English and a Chinese key of its own; every fourth has a macro."""
    return {
        "scanDepth": 4,
        "recursive": True,
        "entries": [
            {
                "uid": at,
                "key": [f"place{at}x", f"地{at}号"],
                "content": text(dice, 2) + ("{{char}} was there." if at % 4 == 0 else ""),
                "position": at % 2,
                "order": at % 300,
            }
            for at in range(count)
        ],
    }


def history(dice: random.Random, count: int) -> list[HistoryEntry]:
    roles = (PromptRole.USER, PromptRole.ASSISTANT)
    return [
        HistoryEntry(
            roles[at % 2],
            f"{at} {text(dice, 2)}",
            (f"floor_{at // 2}",),
            (f"m{at}",),
            turn_number=at // 2,
        )
        for at in range(count)
    ]


def material(size: Size) -> AssemblyInput:
    dice = random.Random(20260403)
    source = BookSource(kind=BookKind.SESSION, id="wb", name="Book")
    return AssemblyInput(
        message=CurrentInput(""),
        runtime=PromptRuntime(
            now=datetime(2026, 4, 3, tzinfo=UTC), count=TokenCounter(), regexes=QuickJsEngine()
        ),
        assets=AssemblyAssets(
            preset=parse_preset(preset(dice)),
            card=CharacterCard(
                "Luna", description=text(dice, 8), examples=f"<START>\n{text(dice, 4)}"
            ),
            persona=Persona("Player", text(dice, 2)),
            books=[compile_book(parse_book(book(dice, size.entries), source=source))],
        ),
        history=history(dice, size.messages),
        policy=PromptPolicy(budget=BudgetPolicy(max_input_tokens=size.max_input)),
    )


def messages(size: Size, rounds: int) -> list[str]:
    """A new message for each round, which calls up some entries."""
    dice = random.Random(7)
    return [
        f"{at} {text(dice, 1)}"
        + " ".join(f"place{dice.randrange(size.entries)}x" for _ in range(HITS // 2))
        + "".join(f"地{dice.randrange(size.entries)}号" for _ in range(HITS // 2))
        for at in range(rounds)
    ]


def times(given: AssemblyInput, said: Sequence[str]) -> list[float]:
    """Milliseconds for each message; the first few rounds fill the caches."""
    for message in said[:5]:
        assemble(replace(given, message=CurrentInput(f"{message}!")))
    found = []
    for message in said:
        one = replace(given, message=CurrentInput(message))
        start = time.process_time()
        assemble(one)
        found.append((time.process_time() - start) * 1000)
    return found


def print_times(rounds: int) -> bool:
    is_fast = True
    print(f"{'entries':>8} {'messages':>9} {'tokens':>8} {'median':>9} {'p95':>9}  ceiling")
    for size in SIZES.values():
        given, said = material(size), messages(size, rounds)
        found = times(given, said)
        median, p95 = statistics.median(found), statistics.quantiles(found, n=20)[-1]
        tokens = assemble(replace(given, message=CurrentInput(said[0]))).token_estimate
        print(
            f"{size.entries:>8,} {size.messages:>9,} {tokens:>8,} "
            f"{median:>6.2f} ms {p95:>6.2f} ms  {size.ceiling:g} ms"
        )
        is_fast = is_fast and median <= size.ceiling
    return is_fast


def print_profile(size: Size, rounds: int) -> None:
    given, said = material(size), messages(size, rounds)
    times(given, said[:10])
    profiler = Profiler(interval=0.0001)
    with profiler:
        times(given, said)
    print(profiler.output_text(unicode=True, show_all=True, color=False))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.prompting", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--profile", choices=SIZES)
    given = parser.parse_args(arguments)
    if given.profile:
        print_profile(SIZES[given.profile], given.rounds)
        return 0
    return 0 if print_times(given.rounds) else 1


if __name__ == "__main__":
    sys.exit(main())
