"""What routes say on the OpenAPI page, written when somebody asks for it.

The schemas of what they take are most of it. Writing them for sixty routes at the start would
take a third of the time in which the routes are built, and few servers are ever asked.
"""

from fastapi.routing import APIRoute

from yarrow.kit.json import JsonObject

LATER = "x-later"
"""In an `openapi_extra`: a function that gives the rest of it."""


class DescribedRoute(APIRoute):
    """A route that may leave a part of its description for later."""

    _extra: JsonObject | None

    @property
    def openapi_extra(self) -> JsonObject | None:
        if self._extra is not None and LATER in self._extra:
            self._extra = _written(self._extra)
        return self._extra

    @openapi_extra.setter
    def openapi_extra(self, extra: JsonObject | None) -> None:
        self._extra = extra


def _written(extra: JsonObject) -> JsonObject:
    rest: JsonObject = extra[LATER]()
    return rest | {key: extra[key] for key in extra if key != LATER}
