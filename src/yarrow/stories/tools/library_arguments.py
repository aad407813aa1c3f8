"""Arguments of the tools on the library."""

from typing import Annotated

from msgspec import Meta

from yarrow.kit.json import JsonObject, JsonValue
from yarrow.tools.arguments import WITHOUT_NUL, Arguments

NAME_CHARS = 120
TEXT_CHARS = 100_000
MAX_KEYS = 100
AI_OUTPUT = 2
"""The placement of scripts on replies."""

ItemId = Annotated[str, Meta(max_length=64, description="The id, as a list shows it")]
NewName = Annotated[str, Meta(min_length=1, max_length=NAME_CHARS, pattern=WITHOUT_NUL)]
ItemName = Annotated[str, Meta(max_length=NAME_CHARS, pattern=WITHOUT_NUL)]
ItemText = Annotated[str, Meta(max_length=TEXT_CHARS, pattern=WITHOUT_NUL)]
ItemKeys = Annotated[
    tuple[Annotated[str, Meta(max_length=1_000, pattern=WITHOUT_NUL)], ...],
    Meta(max_length=MAX_KEYS, description="Words that activate the entry; none: always active"),
]
BookId = Annotated[
    str, Meta(max_length=64, description="The worldbook; left out: the one of the story")
]


class ItemArguments(Arguments, frozen=True):
    id: ItemId


class ListArguments(Arguments, frozen=True):
    search: Annotated[str, Meta(max_length=200, pattern=WITHOUT_NUL)] = ""


class _CardFields(Arguments, frozen=True):
    content: Annotated[ItemText, Meta(description="The same as description")] = ""
    description: ItemText = ""
    personality: ItemText = ""
    scenario: ItemText = ""
    first_mes: Annotated[ItemText, Meta(description="The greeting")] = ""
    mes_example: Annotated[ItemText, Meta(description="Examples of its speech")] = ""

    def list_fields(self) -> JsonObject:
        fields: JsonObject = {
            "description": self.description or self.content,
            "personality": self.personality,
            "scenario": self.scenario,
            "first_mes": self.first_mes,
            "mes_example": self.mes_example,
        }
        return {key: value for key, value in fields.items() if value}


class CardArguments(_CardFields, frozen=True, kw_only=True):
    name: NewName


class ChangeCardArguments(_CardFields, frozen=True, kw_only=True):
    id: ItemId
    name: ItemName = ""


class WorldbookArguments(Arguments, frozen=True):
    name: NewName
    content: Annotated[ItemText, Meta(description="The text of a first entry")] = ""
    keys: ItemKeys = ()


class ChangeWorldbookArguments(Arguments, frozen=True):
    id: ItemId
    name: ItemName = ""
    description: ItemText = ""


class AddEntryArguments(Arguments, frozen=True):
    content: ItemText
    name: ItemName = ""
    keys: ItemKeys = ()
    worldbook_id: BookId = ""

    def list_fields(self) -> JsonObject:
        return {"content": self.content, "key": list(self.keys)}


class EntryArguments(Arguments, frozen=True):
    uid: Annotated[int, Meta(ge=0, description="The number of the entry")]
    worldbook_id: BookId = ""


class ChangeEntryArguments(Arguments, frozen=True):
    uid: Annotated[int, Meta(ge=0, description="The number of the entry")]
    worldbook_id: BookId = ""
    content: ItemText | None = None
    name: ItemName | None = None
    keys: ItemKeys | None = None
    constant: bool | None = None
    disable: bool | None = None

    def list_fields(self) -> JsonObject:
        fields: JsonObject = {
            "content": self.content,
            "comment": self.name,
            "key": None if self.keys is None else list(self.keys),
            "constant": self.constant,
            "disable": self.disable,
        }
        return {key: value for key, value in fields.items() if value is not None}


class PresetArguments(Arguments, frozen=True):
    name: NewName
    content: Annotated[ItemText, Meta(description="The main prompt")] = ""


class ChangePresetArguments(Arguments, frozen=True):
    id: ItemId
    name: ItemName = ""
    content: Annotated[ItemText, Meta(description="The main prompt")] = ""


class _ScriptFields(Arguments, frozen=True):
    content: Annotated[ItemText, Meta(description="The same as find_regex")] = ""
    find_regex: Annotated[ItemText, Meta(description="Such as /cat/g")] = ""
    replace_string: ItemText = ""

    def list_scripts(self) -> list[JsonValue]:
        """One script on replies; none without a pattern."""
        pattern = self.find_regex or self.content
        if not pattern:
            return []
        return [
            {
                "scriptName": "Script",
                "findRegex": pattern,
                "replaceString": self.replace_string,
                "placement": [AI_OUTPUT],
            }
        ]


class RegexArguments(_ScriptFields, frozen=True, kw_only=True):
    name: NewName


class ChangeRegexArguments(_ScriptFields, frozen=True, kw_only=True):
    id: ItemId
    name: ItemName = ""
