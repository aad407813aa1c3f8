"""Measures of names: what counts as a participle, a preposition, a doubled class, a wire word."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from msgspec import Struct
from tests.architecture.source import Function, Module, modules

WIRE_MODELS = re.compile(r"protocols/.*wire(_\w+)?\.py$")
EDGE_FOLDERS = ("protocols/", "web/")
OTHER_MEANINGS = {
    "db/": "settings of PostgreSQL: huge_pages, random_page_cost",
    "rendering/isolate.py": "pages of memory",
    "tables/": "pages of rows",
    "points/": "pages of the ledger",
    "prompting/formats/chats.py": "keys of SillyTavern's chat files",
    "prompting/formats/chat_writing.py": "keys of SillyTavern's chat files",
    "prompting/policy/parse.py": "keys of a policy document",
    "variables/model.py": "stored names of scopes",
}
"""Where a wire word means something else, or is the name of stored data."""
WIRE_WORDS = frozenset({"floor", "floors", "page", "pages", "trajectory", "trajectories"})
WIRE_NAMES = frozenset({"threadid", "thread_id"})

PREPOSITIONS = frozenset(
    {
        *("about", "after", "against", "around", "as", "at", "before", "behind", "beside"),
        *("between", "beyond", "by", "during", "for", "from", "in", "into", "near", "of", "on"),
        *("onto", "over", "since", "than", "through", "to", "toward", "under", "until", "upon"),
        *("via", "with", "within", "without"),
    }
)
"""Particles that belong to a verb (`set_up`, `time_out`, `shut_down`) are not among them."""

IRREGULAR_PARTICIPLES = frozenset(
    {
        *("beaten", "become", "been", "begun", "bent", "blown", "born", "bought", "bound"),
        *("broken", "brought", "built", "caught", "chosen", "come", "dealt", "done", "drawn"),
        *("driven", "drunk", "eaten", "fallen", "fed", "felt", "flown", "forbidden", "forgotten"),
        *("fought", "found", "frozen", "given", "gone", "gotten", "grown", "heard", "held"),
        *("hidden", "hung", "kept", "known", "laid", "lain", "led", "left", "lent", "lost"),
        *("made", "meant", "met", "overridden", "paid", "proven", "redone", "remade", "risen"),
        *("rung", "said", "seen", "sent", "shaken", "shown", "shut", "sold", "sought", "spent"),
        *("spoken", "spun", "stolen", "stood", "struck", "stuck", "sung", "swept", "sworn"),
        *("taken", "taught", "thought", "thrown", "told", "torn", "understood", "undone"),
        *("unmade", "unseen", "unsent", "withdrawn", "won", "worn", "woven", "written"),
    }
)
"""Forms that are also imperatives (`read`, `set`, `cut`, `put`, `split`, `run`) are not."""

NOT_PARTICIPLES = frozenset(
    {
        *("bed", "bleed", "breed", "deed", "embed", "exceed", "feed", "heed", "hundred", "indeed"),
        *("kindred", "naked", "need", "proceed", "red", "seed", "shed", "shred", "speed"),
        *("reseed", "succeed", "wed", "weed"),
        *("broaden", "children", "darken", "deepen", "even", "flatten", "golden", "happen"),
        *("harden", "lengthen", "lighten", "listen", "loosen", "open", "reopen", "screen"),
        *("seven", "sharpen", "shorten", "strengthen", "ten", "then", "tighten", "token"),
        *("fushen", "weaken", "when", "widen"),
    }
)

ENDINGS = ("ed", "en")
MIN_LETTERS = 4
PROPERTIES = frozenset({"property", "cached_property", "classproperty", "setter"})


class NamedFunction(Struct, frozen=True):
    """A function that is called, not a property that reads as a fact."""

    module: Module
    node: Function

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def words(self) -> list[str]:
        return snake_words(self.node.name)

    @property
    def is_participle(self) -> bool:
        return bool(self.words) and is_participle(self.words[0])

    @property
    def ends_in_preposition(self) -> bool:
        return len(self.words) > 1 and self.words[-1] in PREPOSITIONS

    def __str__(self) -> str:
        return f"{self.module.at(self.node)} {self.name}"


def snake_words(name: str) -> list[str]:
    return [word for word in name.lower().split("_") if word]


def camel_words(name: str) -> list[str]:
    """The words of a snake_case or CamelCase name, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def is_participle(word: str) -> bool:
    if word in IRREGULAR_PARTICIPLES:
        return True
    return len(word) >= MIN_LETTERS and word.endswith(ENDINGS) and word not in NOT_PARTICIPLES


def named_functions() -> list[NamedFunction]:
    """Every function and method but dunders, properties and overloads."""
    return [
        NamedFunction(module, node)
        for module in modules()
        for node in module.functions()
        if not node.name.startswith("__") and not _decorators(node) & (PROPERTIES | {"overload"})
    ]


def doubled_classes() -> dict[str, list[str]]:
    """Class names that are defined more than once, with their places; wire models aside."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in modules():
        if not WIRE_MODELS.search(module.path):
            for node in module.classes():
                places[node.name].append(module.at(node))
    return {name: at for name, at in sorted(places.items()) if len(at) > 1}


def wire_words() -> list[str]:
    """Identifiers and keys outside the edge that use a protocol's word."""
    return [
        f"{module.at(node)} {text}"
        for module in modules()
        if not module.path.startswith((*EDGE_FOLDERS, *OTHER_MEANINGS))
        for node, text in _identifiers(module)
        if WIRE_WORDS & set(camel_words(text)) or text.lower() in WIRE_NAMES
    ]


def _identifiers(module: Module) -> Iterator[tuple[ast.AST, str]]:
    """Names as they are defined, and string keys; uses of a name are counted at its definition."""
    for definition in (*module.functions(), *module.classes()):
        yield definition, definition.name
    for argument in module.select(ast.arg):
        yield argument, argument.arg
    for name in module.select(ast.Name):
        if isinstance(name.ctx, ast.Store):
            yield name, name.id
    for node in module.select(ast.Constant):
        if isinstance(node.value, str) and node.value.isidentifier():
            yield node, node.value


def _decorators(node: Function) -> set[str]:
    names = set()
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        names.add(target.attr if isinstance(target, ast.Attribute) else ast.unparse(target))
    return names
