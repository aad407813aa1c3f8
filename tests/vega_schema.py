"""Check a spec against Vega-Lite's schema, which is a file of altair.

The renderer draws invalid specs without an error. altair is not imported, which takes a second.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from jsonschema import Draft7Validator, ValidationError
from jsonschema.exceptions import best_match
from tests.loose_json import JsonObject

from yarrow.kit.json import decode_json

PROBLEMS_MAX = 5


def validate_spec(spec: JsonObject) -> list[str]:
    """The problems of a spec with their paths; rows are not checked, any object is a row."""
    errors = _validator().iter_errors(_without_rows(spec))
    return list(dict.fromkeys(_describe(error) for error in errors))[:PROBLEMS_MAX]


def _without_rows(spec: JsonObject) -> JsonObject:
    data = spec.get("data")
    if isinstance(data, dict) and isinstance(data.get("values"), list):
        spec = {**spec, "data": {**data, "values": []}}
    return {key: value for key, value in spec.items() if key != "datasets"}


def _describe(error: ValidationError) -> str:
    closest = best_match([error]) or error
    return f"{closest.json_path}: {closest.message[:200]}"


@cache
def _validator() -> Draft7Validator:
    package = find_spec("altair")
    assert package is not None
    assert package.origin is not None
    path = Path(package.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"
    return Draft7Validator(decode_json(path.read_bytes()))
