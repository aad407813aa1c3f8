"""Tools on the account's library: characters, worldbooks and their entries, presets, regexes."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from yarrow.assets import book_entries
from yarrow.assets.content_rules import SCRIPTS, make_draft
from yarrow.assets.model import AssetKind
from yarrow.kit.json import JsonObject, JsonValue
from yarrow.product_events.story_tools import AssetOperation, SideEffect, StagedAssetChange
from yarrow.stories.tools.asset_changes import CHANGE_ERRORS, MAIN_PROMPT, fold_changes
from yarrow.stories.tools.library_arguments import (
    AddEntryArguments,
    CardArguments,
    ChangeCardArguments,
    ChangeEntryArguments,
    ChangePresetArguments,
    ChangeRegexArguments,
    ChangeWorldbookArguments,
    EntryArguments,
    ItemArguments,
    ListArguments,
    PresetArguments,
    RegexArguments,
    WorldbookArguments,
)
from yarrow.stories.tools.model import (
    FixedProvider,
    LibraryItem,
    StoryTool,
    ToolOutput,
    ToolTurn,
    make_tool,
)
from yarrow.tools.model import ToolError

CHARACTER, WORLDBOOK = AssetKind.CHARACTER, AssetKind.WORLDBOOK
PRESET, REGEX_PROFILE = AssetKind.PRESET, AssetKind.REGEX_PROFILE
T = TypeVar("T")
_WORDS = {kind: kind.value.replace("_", " ") for kind in AssetKind}


async def create_character(arguments: CardArguments, turn: ToolTurn) -> ToolOutput:
    fields: JsonObject = {"name": arguments.name, **arguments.list_fields()}
    card: JsonObject = {"spec": "chara_card_v2", "spec_version": "2.0", "data": fields}
    return _stage_new(turn, CHARACTER, arguments.name, card)


async def update_character(arguments: ChangeCardArguments, turn: ToolTurn) -> ToolOutput:
    return await _stage_update(
        turn, CHARACTER, arguments.id, arguments.name or None, arguments.list_fields()
    )


async def create_worldbook(arguments: WorldbookArguments, turn: ToolTurn) -> ToolOutput:
    content: JsonObject = {"entries": {}}
    if arguments.content:
        fields: JsonObject = {"content": arguments.content, "key": list(arguments.keys)}
        content, _ = book_entries.add_entry(content, _make_entry(fields, name=""))
    return _stage_new(turn, WORLDBOOK, arguments.name, content)


async def update_worldbook(arguments: ChangeWorldbookArguments, turn: ToolTurn) -> ToolOutput:
    fields: JsonObject = {}
    if arguments.description:
        fields["description"] = arguments.description
    return await _stage_update(turn, WORLDBOOK, arguments.id, arguments.name or None, fields)


async def create_preset(arguments: PresetArguments, turn: ToolTurn) -> ToolOutput:
    main: JsonObject = {"identifier": MAIN_PROMPT, "name": "Main", "role": "system"}
    history: JsonObject = {"identifier": "chatHistory", "name": "Chat History", "marker": True}
    prompts: list[JsonValue] = [main | {"content": arguments.content}, history]
    return _stage_new(turn, PRESET, arguments.name, {"prompts": prompts})


async def update_preset(arguments: ChangePresetArguments, turn: ToolTurn) -> ToolOutput:
    fields: JsonObject = {"content": arguments.content} if arguments.content else {}
    return await _stage_update(turn, PRESET, arguments.id, arguments.name or None, fields)


async def create_regex_profile(arguments: RegexArguments, turn: ToolTurn) -> ToolOutput:
    content: JsonObject = {SCRIPTS: arguments.list_scripts()}
    return _stage_new(turn, REGEX_PROFILE, arguments.name, content)


async def update_regex_profile(arguments: ChangeRegexArguments, turn: ToolTurn) -> ToolOutput:
    scripts = arguments.list_scripts()
    fields: JsonObject = {SCRIPTS: scripts} if scripts else {}
    return await _stage_update(turn, REGEX_PROFILE, arguments.id, arguments.name or None, fields)


async def create_worldbook_entry(arguments: AddEntryArguments, turn: ToolTurn) -> ToolOutput:
    item = await _read_book(arguments.worldbook_id, turn)
    _, uid = _translate_errors(lambda: book_entries.add_entry(item.content, {}))
    fields = _make_entry(arguments.list_fields(), name=arguments.name) | {"uid": int(uid)}
    change = _make_change(AssetOperation.ADD_ENTRY, WORLDBOOK, item.id, fields=fields)
    _stage_change(turn, item.content, change)
    return ToolOutput({"worldbook_id": str(item.id), "uid": int(uid)}, "Added an entry")


async def update_worldbook_entry(arguments: ChangeEntryArguments, turn: ToolTurn) -> ToolOutput:
    item, fields = await _read_book(arguments.worldbook_id, turn), arguments.list_fields()
    if not fields:
        raise ToolError("say what to change: content, keys, name, constant or disable")
    uid = str(arguments.uid)
    change = _make_change(AssetOperation.UPDATE_ENTRY, WORLDBOOK, item.id, fields=fields, entry=uid)
    _stage_change(turn, item.content, change)
    return ToolOutput({"worldbook_id": str(item.id), "uid": arguments.uid}, "Changed an entry")


async def delete_worldbook_entry(arguments: EntryArguments, turn: ToolTurn) -> ToolOutput:
    item = await _read_book(arguments.worldbook_id, turn)
    uid = str(arguments.uid)
    change = _make_change(AssetOperation.DELETE_ENTRY, WORLDBOOK, item.id, entry=uid)
    _stage_change(turn, item.content, change)
    return ToolOutput({"worldbook_id": str(item.id), "uid": arguments.uid}, "Deleted an entry")


async def delete_item(kind: AssetKind, arguments: ItemArguments, turn: ToolTurn) -> ToolOutput:
    item = await turn.library.read_item(kind, arguments.id)
    turn.effects.changes.append(_make_change(AssetOperation.DELETE, kind, item.id))
    return ToolOutput({"id": str(item.id), "deleted": True}, f"Deleted {item.name}")


async def get_item(kind: AssetKind, arguments: ItemArguments, turn: ToolTurn) -> ToolOutput:
    item = await turn.library.read_item(kind, arguments.id)
    data: JsonObject = {"id": str(item.id), "name": item.name, "data": item.content}
    return ToolOutput(data, f"Read {item.name}")


async def list_items(kind: AssetKind, arguments: ListArguments, turn: ToolTurn) -> ToolOutput:
    items = await turn.library.list_items(kind, arguments.search)
    listed: list[JsonValue] = [{"id": str(each.id), "name": each.name} for each in items]
    return ToolOutput({"items": listed}, f"Found {len(items)}")


def _stage_new(turn: ToolTurn, kind: AssetKind, name: str, content: JsonObject) -> ToolOutput:
    asset_id = turn.new_id()
    change = StagedAssetChange(AssetOperation.CREATE, kind, str(asset_id), name, content)
    draft = _translate_errors(lambda: make_draft(kind, content, name=name))
    turn.effects.changes.append(change)
    data: JsonObject = {"id": str(asset_id), "name": draft.name}
    return ToolOutput(data, f"Created the {_WORDS[kind]} {draft.name}")


async def _stage_update(
    turn: ToolTurn, kind: AssetKind, asset_id: str, name: str | None, fields: JsonObject
) -> ToolOutput:
    if not fields and name is None:
        raise ToolError("say what to change")
    item = await turn.library.read_item(kind, asset_id)
    change = _make_change(AssetOperation.UPDATE, kind, item.id, fields=fields, name=name)
    _stage_change(turn, item.content, change)
    data: JsonObject = {"id": str(item.id), "name": name or item.name}
    return ToolOutput(data, f"Changed the {_WORDS[kind]} {name or item.name}")


async def _read_book(worldbook_id: str, turn: ToolTurn) -> LibraryItem:
    """The worldbook of this id, or the one that the story is bound to."""
    bound = turn.state.find_bound(WORLDBOOK)
    if not worldbook_id and bound is None:
        raise ToolError("the story has no worldbook: create one, then give its worldbook_id")
    return await turn.library.read_item(
        WORLDBOOK, worldbook_id or ("" if bound is None else str(bound.asset_id))
    )


def _stage_change(turn: ToolTurn, content: JsonObject, change: StagedAssetChange) -> None:
    """Stage a change that the rules of its kind allow."""
    kind = AssetKind(change.kind)
    _translate_errors(lambda: make_draft(kind, fold_changes(content, [change]), name=change.name))
    turn.effects.changes.append(change)


def _make_change(
    operation: AssetOperation,
    kind: AssetKind,
    asset_id: object,
    *,
    fields: JsonObject | None = None,
    name: str | None = None,
    entry: str = "",
) -> StagedAssetChange:
    return StagedAssetChange(operation, kind, str(asset_id), name, fields or {}, entry)


def _make_entry(fields: JsonObject, *, name: str) -> JsonObject:
    """A whole entry: one without keys is always active."""
    return {"comment": name, "key": [], "constant": not fields.get("key"), **fields}


def _translate_errors(make: Callable[[], T]) -> T:
    try:
        return make()
    except CHANGE_ERRORS as error:
        raise ToolError(str(error)) from None


_CHANGES = SideEffect.SANDBOX


def _list_kind_tools(kind: AssetKind, plural: str) -> tuple[StoryTool, ...]:
    """The tools that every kind has."""
    word = _WORDS[kind]
    return (
        make_tool(f"list_{plural}", f"List each {word}.", ListArguments, partial(list_items, kind)),
        make_tool(f"get_{kind}", f"Read a {word}.", ItemArguments, partial(get_item, kind)),
        make_tool(
            f"delete_{kind}",
            f"Delete a {word}.",
            ItemArguments,
            partial(delete_item, kind),
            side_effect=SideEffect.IRREVERSIBLE,
        ),
    )


LIBRARY_TOOLS = FixedProvider(
    "library",
    (
        make_tool(
            "create_character",
            "Create a character; a name is enough.",
            CardArguments,
            create_character,
            side_effect=_CHANGES,
        ),
        make_tool(
            "update_character",
            "Change a character; what is left out stays.",
            ChangeCardArguments,
            update_character,
            side_effect=_CHANGES,
        ),
        *_list_kind_tools(CHARACTER, "characters"),
        make_tool(
            "create_worldbook",
            "Create a worldbook; its content becomes its first entry.",
            WorldbookArguments,
            create_worldbook,
            side_effect=_CHANGES,
        ),
        make_tool(
            "update_worldbook",
            "Change the name or the description of a worldbook.",
            ChangeWorldbookArguments,
            update_worldbook,
            side_effect=_CHANGES,
        ),
        *_list_kind_tools(WORLDBOOK, "worldbooks"),
        make_tool(
            "create_worldbook_entry",
            "Add an entry to a worldbook, by default to the story's own.",
            AddEntryArguments,
            create_worldbook_entry,
            side_effect=_CHANGES,
        ),
        make_tool(
            "update_worldbook_entry",
            "Change an entry of a worldbook; what is left out stays.",
            ChangeEntryArguments,
            update_worldbook_entry,
            side_effect=_CHANGES,
        ),
        make_tool(
            "delete_worldbook_entry",
            "Delete an entry of a worldbook.",
            EntryArguments,
            delete_worldbook_entry,
            side_effect=SideEffect.IRREVERSIBLE,
        ),
        make_tool(
            "create_preset",
            "Create a preset; its content is the main prompt.",
            PresetArguments,
            create_preset,
            side_effect=_CHANGES,
        ),
        make_tool(
            "update_preset",
            "Change the name or the main prompt of a preset.",
            ChangePresetArguments,
            update_preset,
            side_effect=_CHANGES,
        ),
        *_list_kind_tools(PRESET, "presets"),
        make_tool(
            "create_regex_profile",
            "Create a regex profile with one script, or without any.",
            RegexArguments,
            create_regex_profile,
            side_effect=_CHANGES,
        ),
        make_tool(
            "update_regex_profile",
            "Rename a regex profile, or replace its scripts by one.",
            ChangeRegexArguments,
            update_regex_profile,
            side_effect=_CHANGES,
        ),
        *_list_kind_tools(REGEX_PROFILE, "regex_profiles"),
    ),
)
