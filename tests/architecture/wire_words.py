"""The words the product uses on the wire, collected from the code: codes, statuses, events."""

import ast
import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import ModuleType, UnionType
from typing import cast, get_args, get_origin
from uuid import UUID

import msgspec
from msgspec import Struct, field
from tests.architecture.source import Module, modules

from yarrow import protocols
from yarrow.http.problem import ErrorMap
from yarrow.ids import RunId, SessionId
from yarrow.journal.events import FailureReason, RunEvent
from yarrow.protocols.agui.runs.encode import EventEncoder, StreamFormat
from yarrow.runs.model import RunRef
from yarrow.settings import Settings

EVENT_KEY = "type"

UNROUTED = {"not_found": "404", "wrong_method": "405", "internal": "500", "other": "4xx"}
"""The status behind each field of `UnroutedCodes`."""

CARDS = {"hints": {"title": "…"}, "output": {"ui_hints": {"title": "…"}}}
"""Fields that bring a card into the stream, if they hold one."""

SAMPLES: dict[object, object] = {str: "…", int: 1, bool: True}
"""Values of plain fields; every other field is an empty object."""


class Code(Struct):
    """A problem's code: the statuses it comes with and the places that use it."""

    statuses: set[str] = field(default_factory=set)
    places: set[str] = field(default_factory=set)


@cache
def error_maps() -> dict[str, ErrorMap]:
    """Each protocol's map from our errors to its own."""
    return {name: module.WIRE_ERRORS for name, module in _error_modules().items()}


@cache
def run_error_maps() -> dict[str, Mapping[FailureReason, tuple[str, str]]]:
    """The words for a failed run, of each protocol that has runs."""
    found = _error_modules().items()
    return {name: module.RUN_ERRORS for name, module in found if hasattr(module, "RUN_ERRORS")}


def problem_codes() -> dict[str, Code]:
    """Every code of every `WireError(…)` and `UnroutedCodes(…)` in the source."""
    codes: dict[str, Code] = defaultdict(Code)
    for module in modules():
        for node in module.select(ast.Call):
            match node:
                case ast.Call(
                    func=ast.Name(id="WireError"), args=[status, ast.Constant(value=str(code)), *_]
                ):
                    known = isinstance(status, ast.Constant)
                    codes[code].statuses.add(ast.unparse(status) if known else "4xx")
                    codes[code].places.add(_place(module))
                case ast.Call(func=ast.Name(id="UnroutedCodes"), keywords=keywords):
                    for keyword in keywords:
                        code = str(ast.literal_eval(keyword.value))
                        codes[code].statuses.add(UNROUTED[keyword.arg or ""])
                        codes[code].places.add(_place(module))
    return codes


def run_error_codes() -> dict[str, set[str]]:
    """Every code a run can end with, and the protocols that use it."""
    codes: dict[str, set[str]] = defaultdict(set)
    for name, module in _error_modules().items():
        ends = [*run_error_maps().get(name, {}).values()]
        ends += [module.CANCELLED] if hasattr(module, "CANCELLED") else []
        for code, _ in ends:
            codes[code].add(name)
    return codes


def run_events() -> dict[str, type[msgspec.Struct]]:
    """Every RunEvent by its stored tag."""
    return {str(kind.__struct_config__.tag): kind for kind in get_args(RunEvent)}


def agui_names(kind: type[msgspec.Struct], profile: StreamFormat) -> list[str]:
    """What an AG-UI client sees of an event, found by encoding a sample of it."""
    run = RunRef(RunId(UUID(int=0)), SessionId(UUID(int=0)), "run")
    sample = cast("RunEvent", _sample(kind))
    frames = EventEncoder(run, profile, resumed=True).encode_event(1, sample).split(b"\n")
    shapes = [msgspec.json.decode(line[6:]) for line in frames if line.startswith(b"data: ")]
    names = [shape[EVENT_KEY] + _custom_name(shape) for shape in shapes]
    return list(dict.fromkeys(names))


def wire_events() -> dict[str, set[str]]:
    """Every event name a protocol writes, and the protocols that write it."""
    names: dict[str, set[str]] = defaultdict(set)
    for module in modules():
        if module.path.startswith("protocols/"):
            for name in _names_in(module):
                names[name].add(_place(module))
    return names


def setting_rows() -> list[list[str]]:
    """Name, default and meaning of every setting, as the docs print them."""
    return [
        [
            f"`YARROW_{name.upper()}`",
            _default(info.default),
            (info.description or "").replace("|", "\\|"),
        ]
        for name, info in Settings.model_fields.items()
    ]


def _default(value: object) -> str:
    match value:
        case None:
            return "unset"
        case bool():
            return f"`{str(value).lower()}`"
        case _:
            return f"`{value}`"


def _names_in(module: Module) -> set[str]:
    found: set[str] = set()
    for node in (*module.select(ast.Dict), *module.select(ast.Call)):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    match key, value:
                        case ast.Constant(value=str(name)), ast.Constant(value=str(said)):
                            if name == EVENT_KEY and said.isupper():
                                found.add(said)
            case ast.Call(
                func=ast.Name(id="_build_custom_event"), args=[ast.Constant(value=str(said)), *_]
            ):
                found.add(said)
    return found


def _custom_name(shape: dict[str, str]) -> str:
    return f" {shape['name']}" if "name" in shape and shape[EVENT_KEY] == "CUSTOM" else ""


def _sample(kind: type[msgspec.Struct]) -> msgspec.Struct:
    """An event with every field filled, so that each of its frames appears."""
    values = {
        info.name: CARDS.get(info.name) or _filled(info.type)
        for info in msgspec.structs.fields(kind)
    }
    return kind(**values)


def _filled(wanted: object) -> object:
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
        return _sample(wanted)
    if isinstance(wanted, type) and issubclass(wanted, Enum):
        return next(iter(wanted))
    if isinstance(wanted, UnionType):
        structs = [
            each
            for each in get_args(wanted)
            if isinstance(each, type) and issubclass(each, msgspec.Struct)
        ]
        return _filled(structs[0]) if structs else SAMPLES.get(wanted, {})
    if get_origin(wanted) is tuple:
        return tuple(_filled(item) for item in get_args(wanted) if item is not ...)
    return SAMPLES.get(wanted, {})


def _place(module: Module) -> str:
    parts = module.path.split("/")
    return parts[1] if parts[0] == "protocols" else "every route"


@cache
def _error_modules() -> dict[str, ModuleType]:
    return {
        package.name: importlib.import_module(f"yarrow.protocols.{package.name}.errors")
        for package in pkgutil.iter_modules(protocols.__path__)
        if package.ispkg
    }
