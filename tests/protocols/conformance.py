"""Whether responses are what the OpenAPI document promises."""

import jsonschema_rs
from tests.loose_json import JsonObject, decode_json
from tests.protocols.odd_values import Operation

JSON_TYPES = ("application/json", "application/problem+json")


class ResponseRules:
    """The documented responses of all operations; validators are built when first needed."""

    def __init__(self, page: JsonObject) -> None:
        self._components = page.get("components", {})
        self._validators: dict[tuple[str, ...], jsonschema_rs.Draft202012Validator] = {}

    def find_breach(
        self, operation: Operation, *, status: int, content_type: str, body: bytes
    ) -> str | None:
        """What the document does not allow: the status, the content type or the body."""
        responses = operation.spec["responses"]
        if str(status) not in responses:
            return f"status {status} is not documented"
        content = responses[str(status)].get("content", {})
        if content_type not in content:
            return f"{status} with content type {content_type!r}" if content or body else None
        schema = content[content_type].get("schema")
        if content_type not in JSON_TYPES or not schema:
            return None
        key = (operation.method, operation.path, str(status), content_type)
        if key not in self._validators:
            whole = {**schema, "components": self._components}
            self._validators[key] = jsonschema_rs.Draft202012Validator(whole)
        errors = self._validators[key].iter_errors(decode_json(body))
        error = next(iter(errors), None)
        return None if error is None else f"{status}: {error.message[:200]}"
