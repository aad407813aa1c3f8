"""Builders for the input of an assembly, with short defaults."""

from collections.abc import Sequence
from datetime import UTC, datetime

from tests.loose_json import JsonObject, JsonValue

from yarrow.prompting.assembly import (
    AssemblyAssets,
    AssemblyInput,
    AssemblyResult,
    CurrentInput,
    HistoryEntry,
    PromptRuntime,
    SessionContext,
    StoredVariables,
    assemble,
)
from yarrow.prompting.model import CharacterCard, Persona, PromptRole
from yarrow.prompting.preset import PromptIntent, parse_preset
from yarrow.prompting.regex_engine.quickjs import QuickJsEngine
from yarrow.prompting.tokens import estimate_tokens
from yarrow.prompting.worldbook import BookKind, BookSource, CompiledBook, compile_book, parse_book

NOW = datetime(2026, 4, 3, 12, 0, tzinfo=UTC)
RUNTIME = PromptRuntime(
    now=NOW, count=estimate_tokens, regexes=QuickJsEngine(), seed="s", chat_id="c"
)
LUNA = CharacterCard(name="Luna")
PLAYER = Persona(name="Player")

Talk = Sequence[tuple[str, str]]


def entry(identifier: str, content: str = "", **fields: JsonValue) -> JsonObject:
    """An entry of a preset; one without content is a marker."""
    marker = not content and "content" not in fields
    return {"identifier": identifier, "content": content, "marker": marker, **fields}


def make_preset(*entries: JsonObject, **fields: JsonValue) -> JsonObject:
    """A preset whose entries stand in their order, all switched on."""
    order = [{"identifier": one["identifier"], "enabled": True} for one in entries]
    return {
        "prompts": list(entries),
        "prompt_order": [{"character_id": 100000, "order": order}],
        **fields,
    }


PLAIN = make_preset(entry("main", "MAIN"), entry("chatHistory"), entry("jailbreak", "PHI"))


def make_book(*entries: JsonObject, **settings: JsonValue) -> CompiledBook:
    """A session's worldbook; every entry's uid is its place."""
    numbered: list[JsonObject] = [{"uid": at, **one} for at, one in enumerate(entries)]
    source = BookSource(kind=BookKind.SESSION, id="wb_1", name="Book")
    return compile_book(
        parse_book({"entries": numbered, "scanDepth": 10, **settings}, source=source)
    )


def constant(content: str, **fields: JsonValue) -> JsonObject:
    return {"content": content, "constant": True, **fields}


def make_history(talk: Talk) -> list[HistoryEntry]:
    """Stored messages, a floor for each exchange."""
    found: list[HistoryEntry] = []
    floor = -1
    for role, text in talk:
        floor += role == "user" or floor < 0
        found.append(
            HistoryEntry(
                PromptRole(role),
                text,
                (f"floor_{floor}",),
                (f"message_{len(found)}",),
                turn_number=floor,
            )
        )
    return found


TALK: Talk = (("user", "u0"), ("assistant", "a0"))


def make_input(
    preset: JsonObject | None = PLAIN,
    *,
    talk: Talk = TALK,
    message: str = "cur",
    intent: PromptIntent = PromptIntent.NORMAL,
    card: CharacterCard | None = LUNA,
    books: Sequence[CompiledBook] = (),
    persona: Persona | None = PLAYER,
) -> AssemblyInput:
    """An ordinary turn of Player with Luna."""
    return AssemblyInput(
        message=CurrentInput(message, intent=intent),
        runtime=RUNTIME,
        assets=AssemblyAssets(
            preset=None if preset is None else parse_preset(preset),
            card=card,
            persona=persona,
            books=books,
        ),
        history=make_history(talk),
        variables=StoredVariables(),
        session=SessionContext(),
    )


def list_messages(result: AssemblyResult) -> list[tuple[str, str]]:
    return [(message.role.value, message.content) for message in result.messages]


def assemble_messages(inputs: AssemblyInput) -> list[tuple[str, str]]:
    return list_messages(assemble(inputs))
