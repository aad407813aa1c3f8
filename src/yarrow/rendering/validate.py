"""Whether a spec is Vega-Lite, by the schema that altair carries.

The schema is read from altair's files; altair itself is never imported, which would take most of
a second. The renderer draws wrong specs without a word, so this is where they are found.
"""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from jsonschema import Draft7Validator, ValidationError
from jsonschema.exceptions import best_match

from yarrow.kit.json import JsonObject, decode_json

PROBLEMS_MAX = 5


def validate_spec(spec: JsonObject) -> list[str]:
    """What is wrong, in words with a place; nothing if the spec is valid.

    Inline rows are not looked at: any object is a row.
    """
    errors = list(_validator().iter_errors(_without_rows(spec)))
    said = dict.fromkeys(_told(error) for error in errors)
    return list(said)[:PROBLEMS_MAX]


def _without_rows(spec: JsonObject) -> JsonObject:
    data = spec.get("data")
    if isinstance(data, dict) and isinstance(data.get("values"), list):
        spec = {**spec, "data": {**data, "values": []}}
    return {key: value for key, value in spec.items() if key != "datasets"}


def _told(error: ValidationError) -> str:
    closest = best_match([error]) or error
    return f"{closest.json_path}: {closest.message[:200]}"


@cache
def _validator() -> Draft7Validator:
    found = find_spec("altair")
    assert found is not None
    assert found.origin is not None
    path = Path(found.origin).parent / "vegalite" / "v6" / "schema" / "vega-lite-schema.json"
    return Draft7Validator(decode_json(path.read_bytes()))
