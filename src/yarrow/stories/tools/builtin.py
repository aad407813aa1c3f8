"""The tools of every story: variables, dice, time, memory, the character."""

import re
from typing import Annotated

from msgspec import Meta

from yarrow.accounts.preferences import find_zone
from yarrow.kit.json import JsonObject, JsonValue, encode_json
from yarrow.product_events.story_tools import SideEffect, StagedWrite
from yarrow.stories.tools.model import FixedProvider, ToolOutput, ToolTurn, make_tool
from yarrow.tools.arguments import WITHOUT_NUL, Arguments
from yarrow.tools.current_time import TimeArguments
from yarrow.tools.model import ToolError
from yarrow.variables.model import KEY_CHARS, NARROWEST_FIRST, SCOPE_MAX, VALUE_BYTES, Scope

MAX_DICE = 100
MAX_SIDES = 1_000_000
MAX_CHOICES = 1_000
MAX_MEMORIES = 20
_DICE = re.compile(r"(\d{0,3})[dD](\d{1,7})([+-]\d{1,7})?")

VariableName = Annotated[
    str, Meta(max_length=KEY_CHARS, pattern=WITHOUT_NUL, description="The variable")
]


class GetVariableArguments(Arguments, frozen=True):
    name: VariableName = ""
    key: Annotated[VariableName, Meta(description="The same as name")] = ""

    def require_name(self) -> str:
        if not (name := self.name or self.key):
            raise ToolError("wrong arguments: name is missing")
        return name


class SetVariableArguments(GetVariableArguments, frozen=True):
    value: Annotated[JsonValue, Meta(description="Any JSON value")] = None
    scope: Annotated[
        str, Meta(pattern="^(branch|global)$", description="branch (default) or global")
    ] = "branch"


class DiceArguments(Arguments, frozen=True):
    dice: Annotated[
        str, Meta(max_length=20, description="Such as 2d6+1; instead of count, sides and modifier")
    ] = ""
    count: Annotated[int, Meta(ge=1, le=MAX_DICE, description="How many dice")] = 1
    sides: Annotated[int, Meta(ge=1, le=MAX_SIDES, description="Sides of each die")] = 6
    modifier: Annotated[int, Meta(ge=-MAX_SIDES, le=MAX_SIDES, description="Added to the sum")] = 0


class ChoiceArguments(Arguments, frozen=True):
    choices: Annotated[
        list[JsonValue], Meta(min_length=1, max_length=MAX_CHOICES, description="What to pick from")
    ]


class MemoryArguments(Arguments, frozen=True):
    query: Annotated[str, Meta(max_length=1_000, description="What to look for; empty: all")] = ""
    limit: Annotated[int, Meta(ge=1, le=MAX_MEMORIES, description="At most so many")] = 10


class CharacterInfoArguments(Arguments, frozen=True):
    pass


async def get_variable(arguments: GetVariableArguments, turn: ToolTurn) -> ToolOutput:
    name = arguments.require_name()
    staged = {write.scope: write.value for write in turn.effects.writes if write.name == name}
    for scope in NARROWEST_FIRST:
        values = turn.variables.get(scope)
        if scope in staged or name in values:
            value = staged[scope] if scope in staged else values[name]
            return ToolOutput({"name": name, "value": value, "scope": scope.value}, f"Read {name}")
    return ToolOutput({"name": name, "value": None}, f"{name} is not set")


async def set_variable(arguments: SetVariableArguments, turn: ToolTurn) -> ToolOutput:
    name, scope = arguments.require_name(), Scope(arguments.scope)
    encoded = encode_json(arguments.value)
    if len(encoded) > VALUE_BYTES or b"\\u0000" in encoded:
        raise ToolError(f"the value has NUL in it, or more than {VALUE_BYTES} bytes as JSON")
    staged = {write.name for write in turn.effects.writes if write.scope == scope}
    present = set(turn.variables.get(scope)) | staged
    if name not in present and len(present) >= SCOPE_MAX:
        raise ToolError(f"there are {SCOPE_MAX} variables already; set one of them")
    turn.effects.writes.append(StagedWrite(scope, name, arguments.value))
    data: JsonObject = {"name": name, "value": arguments.value, "scope": scope.value}
    return ToolOutput(data, f"Set {name}")


async def roll_dice(arguments: DiceArguments, turn: ToolTurn) -> ToolOutput:
    count, sides, modifier = arguments.count, arguments.sides, arguments.modifier
    if arguments.dice:
        count, sides, modifier = _parse_dice(arguments.dice)
    rolls = [turn.dice.randint(1, sides) for _ in range(count)]
    data: JsonObject = {"rolls": list(rolls), "modifier": modifier, "total": sum(rolls) + modifier}
    return ToolOutput(data, f"Rolled {count}d{sides}{modifier:+d}".removesuffix("+0"))


def _parse_dice(text: str) -> tuple[int, int, int]:
    parsed = _DICE.fullmatch(text.replace(" ", ""))
    count = int(parsed[1] or 1) if parsed else 0
    sides = int(parsed[2]) if parsed else 0
    if parsed is None or not 1 <= count <= MAX_DICE or not 1 <= sides <= MAX_SIDES:
        raise ToolError(f"dice must look like 2d6+1, with 1 to {MAX_DICE} dice")
    return count, sides, int(parsed[3] or 0)


async def random_choice(arguments: ChoiceArguments, turn: ToolTurn) -> ToolOutput:
    index = turn.dice.randrange(len(arguments.choices))
    data: JsonObject = {"choice": arguments.choices[index], "index": index}
    return ToolOutput(data, f"Chose number {index + 1} of {len(arguments.choices)}")


async def get_time(arguments: TimeArguments, turn: ToolTurn) -> ToolOutput:
    zone = find_zone(arguments.timezone) if arguments.timezone else turn.state.timezone
    if zone is None:
        raise ToolError("unknown timezone; use an IANA name such as Asia/Tokyo")
    now = turn.now().astimezone(zone)
    data: JsonObject = {
        "iso": now.isoformat(timespec="seconds"),
        "weekday": now.strftime("%A"),
        "timezone": zone.key,
    }
    return ToolOutput(data, f"It is {now:%H:%M}")


async def query_memory(arguments: MemoryArguments, turn: ToolTurn) -> ToolOutput:
    memories = await turn.search_memory(turn.state, arguments.query, arguments.limit)
    return ToolOutput({"items": list(memories)}, f"Found {len(memories)} memories")


async def get_character_info(_: CharacterInfoArguments, turn: ToolTurn) -> ToolOutput:
    names, card = turn.state.session.names, turn.card
    if card is None:
        raise ToolError("the story has no character")
    data: JsonObject = {
        "name": card.name,
        "description": card.description,
        "personality": card.personality,
        "scenario": card.scenario,
        "tags": list(card.tags),
        "user_name": names.user,
    }
    return ToolOutput(data, f"Read {card.name}")


BUILTIN_TOOLS = FixedProvider(
    "builtin",
    (
        make_tool("get_variable", "Read a variable.", GetVariableArguments, get_variable),
        make_tool(
            "set_variable",
            "Set a variable of the story, or a global one.",
            SetVariableArguments,
            set_variable,
            side_effect=SideEffect.SANDBOX,
        ),
        make_tool("roll_dice", "Roll dice and add them up.", DiceArguments, roll_dice),
        make_tool("random_choice", "Pick one of several.", ChoiceArguments, random_choice),
        make_tool("get_time", "The current date, time and weekday.", TimeArguments, get_time),
        make_tool(
            "query_memory", "Search what is remembered of the story.", MemoryArguments, query_memory
        ),
        make_tool(
            "get_character_info",
            "Read the card of the story's character.",
            CharacterInfoArguments,
            get_character_info,
        ),
    ),
)
