"""Dice that fall the same way whenever the same place of the same assembly is looked at."""

import re
from collections.abc import Iterator, Sequence
from hashlib import blake2b

from yarrow.prompting.macros.expansion import MacroCall
from yarrow.prompting.macros.model import MacroWarningCode

_DICE = re.compile(
    r"(?P<count>[1-9]\d{0,8})?d(?P<sides>[1-9]\d{0,14})(?P<bonus>[+-]\d{1,15})?", re.ASCII | re.I
)

_ESCAPED_COMMA = re.compile(r"\\,")
_COMMA = re.compile(r"(?<!\\),")
_MAX_DICE = 1_000


def random_effect(call: MacroCall) -> str:
    """One of the options; another one in the next assembly."""
    return _choose_option(call.args, _call_origin("random", call))


def pick_effect(call: MacroCall) -> str:
    """One of the options; always the same in this chat, for this text and position."""
    return _choose_option(
        call.args, ("pick", call.at.environment.chat_id, call.at.source, str(call.start))
    )


def roll_effect(call: MacroCall) -> str:
    """The sum of dice in droll notation; a bare number N is one die with N sides."""
    formula = call.args[0].strip()
    found = _DICE.fullmatch(f"1d{formula}" if formula.isdecimal() else formula)
    count = int(found["count"] or 1) if found else 0
    if found is None or count > _MAX_DICE:
        message = f"at most {_MAX_DICE} dice" if found else "not a dice formula such as 2d6+1"
        call.warn(MacroWarningCode.ARG_TYPE_INVALID, message)
        return ""
    numbers, sides = _numbers(_call_origin("roll", call)), int(found["sides"])
    return str(sum(1 + next(numbers) % sides for _ in range(count)) + int(found["bonus"] or 0))


def _call_origin(kind: str, call: MacroCall) -> tuple[str, ...]:
    return kind, call.at.environment.seed, call.at.place, str(call.start)


def _choose_option(args: Sequence[str], origin: tuple[str, ...]) -> str:
    options = args if len(args) != 1 else _split_options(args[0])
    return options[next(_numbers(origin)) % len(options)] if options else ""


def _split_options(text: str) -> list[str]:
    """A single argument lists its options with `::` or with commas."""
    if "::" in text:
        return [option.strip() for option in text.split("::")]
    return [_ESCAPED_COMMA.sub(",", option.strip()) for option in _COMMA.split(text)]


def _numbers(origin: tuple[str, ...]) -> Iterator[int]:
    """Numbers below 2**64 that depend on their origin alone."""
    root = blake2b("\0".join(origin).encode("utf-8", "surrogatepass"))
    count = 0
    while True:
        branch = root.copy()
        branch.update(count.to_bytes(8, "big"))
        yield int.from_bytes(branch.digest()[:8], "big")
        count += 1
