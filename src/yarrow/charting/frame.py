"""What a drawing starts from, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from yarrow.charting.fields import Field
from yarrow.charting.model import Channel, ChartType, Size
from yarrow.charting.question_words import Language
from yarrow.charting.rows import numbers, values_of
from yarrow.charting.words import WORDS, ChartWords
from yarrow.kit.json import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class Frame:
    """A chart with its fields resolved and its rows made plain, not yet drawn."""

    chart_type: ChartType
    fields: Mapping[Channel, Field]
    rows: list[JsonObject]
    config: JsonObject
    size: Size
    notes: tuple[str, ...] = ()
    domains: Mapping[str, list[JsonValue]] = field(default_factory=dict)
    """By data key: the places of an axis that does not show all, the last one saying so."""
    words: ChartWords = WORDS[Language.EN]

    def get(self, channel: Channel) -> Field | None:
        return self.fields.get(channel)

    def need(self, channel: Channel) -> Field:
        return self.fields[channel]

    def numbers(self, field: Field) -> list[float]:
        return numbers(self.rows, field.key)

    def values(self, field: Field) -> list[JsonValue]:
        return values_of(self.rows, field.key)

    def keys(self, *channels: Channel) -> list[str]:
        """The data keys of the fields in these channels, each once."""
        found = (self.fields[channel].key for channel in channels if channel in self.fields)
        return list(dict.fromkeys(found))

    def placed(self, channel: Channel, found: Field) -> "Frame":
        return replace(self, fields={**self.fields, channel: found})

    def noted(self, note: str) -> "Frame":
        return replace(self, notes=(*self.notes, note))

    def having(self, rows: list[JsonObject]) -> "Frame":
        return replace(self, rows=rows)


@dataclass(frozen=True, slots=True)
class Drawing:
    """The part of a spec below data and facets: a mark with its encoding, or layers."""

    body: JsonObject
    frame: Frame
    """With the rows and notes as drawing left them."""
