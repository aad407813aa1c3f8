"""Outlines of countries and states: TopoJSON files in `data/`, which `make outlines` writes."""

import json
from enum import StrEnum
from functools import cache
from pkgutil import get_data

from yarrow.charting.model import VegaSpec


class Outline(StrEnum):
    """A file, and the collection of shapes in it."""

    COUNTRIES = "countries"
    STATES = "states"


@cache
def read_outline(outline: Outline) -> bytes:
    """The bytes of the file, read once. Jobs see no files: their parent reads before the fork."""
    data = get_data("yarrow.charting", f"data/{outline}.json")
    if data is None:
        raise FileNotFoundError(outline)
    return data


@cache
def load_outline(outline: Outline) -> VegaSpec:
    """The topology, parsed with the first map."""
    topology: VegaSpec = json.loads(read_outline(outline))
    return topology
