"""A FastAPI route that is built at its first request.

FastAPI inspects an endpoint and makes validators for its parameters and responses when a route is
added. For some 250 routes that was a fifth of the CPU of a start and 7 MB; a process serves few.
"""

from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import TypedDict, Unpack

from fastapi.routing import APIRoute
from starlette.routing import compile_path, get_name

_COMPILED = ("path_regex", "path_format", "param_convertors")


class RouteOptions(TypedDict, total=False):
    """The arguments of `APIRoute` that matching needs; the others are only passed on."""

    name: str | None
    methods: set[str] | list[str] | None
    include_in_schema: bool


class LazyRoute(APIRoute):
    """Knows path and methods at once; any other attribute builds the rest when it is first read.

    The expression of the path is compiled when it is first compared with an address.
    """

    _lock = RLock()
    """The OpenAPI document is built in a thread, beside requests."""

    def __init__(
        self, path: str, endpoint: Callable[..., object], **options: Unpack[RouteOptions]
    ) -> None:
        self._build = partial(super().__init__, path, endpoint, **options)
        self.path = path
        self.endpoint = endpoint
        self.name = options.get("name") or get_name(endpoint)
        self.beginning = path.partition("{")[0]
        self.methods = {method.upper() for method in options.get("methods") or ("GET",)}
        self.include_in_schema = options.get("include_in_schema", True)

    def __getattr__(self, name: str) -> object:
        """Called for attributes that are not set."""
        if name in _COMPILED:
            self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
            return object.__getattribute__(self, name)
        with self._lock:
            build = self.__dict__.pop("_build", None)
            if build is not None:
                build()
        return object.__getattribute__(self, name)
