"""Random macros. Results are seeded by place and position, so an assembly is reproducible."""

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
    """Return one of the options; the next assembly may return another."""
    return _choose_option(call.args, _identify_call("random", call))


def pick_effect(call: MacroCall) -> str:
    """Return one of the options; fixed for this chat, text and position."""
    return _choose_option(
        call.args, ("pick", call.state.environment.chat_id, call.state.source, str(call.start))
    )


def roll_effect(call: MacroCall) -> str:
    """Return the sum of dice in droll notation; a bare number N is one die with N sides."""
    formula = call.args[0].strip()
    match = _DICE.fullmatch(f"1d{formula}" if formula.isdecimal() else formula)
    count = int(match["count"] or 1) if match else 0
    if match is None or count > _MAX_DICE:
        message = f"at most {_MAX_DICE} dice" if match else "not a dice formula such as 2d6+1"
        call.warn(MacroWarningCode.ARG_TYPE_INVALID, message)
        return ""
    numbers, sides = _generate_numbers(_identify_call("roll", call)), int(match["sides"])
    return str(sum(1 + next(numbers) % sides for _ in range(count)) + int(match["bonus"] or 0))


def _identify_call(kind: str, call: MacroCall) -> tuple[str, ...]:
    return kind, call.state.environment.seed, call.state.place, str(call.start)


def _choose_option(args: Sequence[str], origin: tuple[str, ...]) -> str:
    options = args if len(args) != 1 else _split_options(args[0])
    return options[next(_generate_numbers(origin)) % len(options)] if options else ""


def _split_options(text: str) -> list[str]:
    """Split a single argument at `::`, or else at commas."""
    if "::" in text:
        return [option.strip() for option in text.split("::")]
    return [_ESCAPED_COMMA.sub(",", option.strip()) for option in _COMMA.split(text)]


def _generate_numbers(origin: tuple[str, ...]) -> Iterator[int]:
    """Yield numbers below 2**64 that depend only on their origin."""
    root = blake2b("\0".join(origin).encode("utf-8", "surrogatepass"))
    count = 0
    while True:
        branch = root.copy()
        branch.update(count.to_bytes(8, "big"))
        yield int.from_bytes(branch.digest()[:8], "big")
        count += 1
