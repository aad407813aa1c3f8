"""Check a spec against Vega-Lite's schema, which is a file of altair.

The renderer draws invalid specs without an error. altair is not imported, which takes a second.
"""

import json
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import jsonschema_rs
from jsonschema import Draft7Validator, ValidationError
from jsonschema.exceptions import best_match
from tests.loose_json import JsonObject

PROBLEMS_MAX = 5


def validate_spec(spec: JsonObject) -> list[str]:
    """The problems of a spec with their paths; rows are not checked, any object is a row.

    jsonschema-rs decides, in a hundredth of the time; jsonschema finds the path of a problem.
    """
    checked = _without_rows(spec)
    if _quick_validator().is_valid(checked):
        return []
    errors = _validator().iter_errors(checked)
    problems = list(dict.fromkeys(_describe(error) for error in errors))[:PROBLEMS_MAX]
    return problems or ["jsonschema-rs refuses what jsonschema allows"]


def _without_rows(spec: JsonObject) -> JsonObject:
    data = spec.get("data")
    if isinstance(data, dict) and isinstance(data.get("values"), list):
        spec = {**spec, "data": {**data, "values": []}}
    return {key: value for key, value in spec.items() if key != "datasets"}


def _describe(error: ValidationError) -> str:
    closest = best_match([error]) or error
    return f"{closest.json_path}: {closest.message[:200]}"


@cache
def _quick_validator() -> jsonschema_rs.Draft7Validator:
    schema = json.loads(_read_schema(), object_hook=_escape_reference)
    return jsonschema_rs.Draft7Validator(schema)


def _escape_reference(part: JsonObject) -> JsonObject:
    """A reference is a URI: jsonschema-rs refuses the angle brackets of TypeScript's names."""
    if "$ref" in part:
        part["$ref"] = quote(part["$ref"], safe="#/")
    return part


@cache
def _validator() -> Draft7Validator:
    return Draft7Validator(json.loads(_read_schema()))


def _read_schema() -> bytes:
    package = find_spec("altair")
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "vegalite" / "v6" / "schema"
    return (folder / "vega-lite-schema.json").read_bytes()
