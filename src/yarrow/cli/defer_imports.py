"""Defer work that libraries do while modules are imported until its result is first used.

Half of the CPU of a start was text that `dataclasses` compiles (up to six methods for each of 600
classes) and validators of pydantic models; one process uses a small part of both. The libraries
have no public switch for a whole import, so their functions are replaced for the time of a block.
aiohttp loads the system's certificates twice when it is imported; many servers never use TLS.
"""

import dataclasses
import gc
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType

from pydantic import BaseModel

PLACEHOLDER = "-"
LOAD = "set_default_verify_paths"


class LateMethod:
    """A generated method of a dataclass: compiled when it is looked up, then it replaces itself."""

    __slots__ = ("__name__", "_compile", "_function")

    def __init__(self, name: str, compile_text: Callable[[], FunctionType]) -> None:
        self.__name__ = name
        self._compile = compile_text
        self._function: FunctionType | None = None

    def __get__(self, instance: object, owner: type) -> object:
        function = self._resolve()
        for base in owner.__mro__:
            if base.__dict__.get(self.__name__) is self:
                function.__qualname__ = f"{base.__qualname__}.{self.__name__}"
                setattr(base, self.__name__, function)
        return function.__get__(instance, owner)

    def __call__(self, instance: object) -> object:
        """`__repr__`: `dataclasses` wraps it and calls it from there."""
        return self._resolve()(instance)

    def _resolve(self) -> FunctionType:
        # Two threads may both compile; either function will do.
        if self._function is None:
            self._function = self._compile()
        return self._function


class LateTrustContext(ssl.SSLContext):
    """A TLS context that loads the system's certificates before its first connection."""

    def wrap_bio(
        self,
        incoming: ssl.MemoryBIO,
        outgoing: ssl.MemoryBIO,
        server_side: bool = False,  # noqa: FBT001, FBT002 - as in `ssl`
        server_hostname: str | bytes | None = None,
        session: ssl.SSLSession | None = None,
    ) -> ssl.SSLObject:
        self.load_trust()
        return self.wrap_bio(incoming, outgoing, server_side, server_hostname, session)

    def load_trust(self) -> None:
        """Become a plain context: `wrap_bio` is that of `ssl` from now on."""
        self.__class__ = ssl.SSLContext  # type: ignore[assignment]
        self.set_default_verify_paths()


def _become_late(context: ssl.SSLContext) -> None:
    context.__class__ = LateTrustContext


@contextmanager
def defer_import_work() -> Iterator[None]:
    """Around imports: no collection, dataclass methods, validators and certificates.

    Classes that are made within the block behave as always; only `__doc__` of a dataclass without
    docstring stays None.
    """
    gc.disable()
    try:
        with _compile_methods_late(), _build_validators_late(), _load_certificates_late():
            yield
    finally:
        # Modules live as long as the process: no collection has to look at them.
        gc.freeze()
        gc.enable()


@contextmanager
def _compile_methods_late() -> Iterator[None]:
    create = getattr(dataclasses, "_create_fn", None)
    process = getattr(dataclasses, "_process_class", None)
    if create is None or process is None:  # Python 3.13 compiles all methods of a class at once
        yield
        return

    def create_later(name: str, *args: object, **kwargs: object) -> LateMethod:
        return LateMethod(name, lambda: create(name, *args, **kwargs))

    def process_class(cls: type, *args: object) -> type:
        """Prevent the docstring that is written from the signature, which has to be compiled."""
        has_text = bool(cls.__doc__)
        if not has_text:
            cls.__doc__ = PLACEHOLDER
        made: type = process(cls, *args)
        if not has_text:
            made.__doc__ = None
        return made

    vars(dataclasses).update(_create_fn=create_later, _process_class=process_class)
    try:
        yield
    finally:
        vars(dataclasses).update(_create_fn=create, _process_class=process)


@contextmanager
def _build_validators_late() -> Iterator[None]:
    """Let models inherit `defer_build`, and with them FastAPI's adapters of them; pydantic builds
    a validator once, under a lock."""
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]


@contextmanager
def _load_certificates_late() -> Iterator[None]:
    """Contexts for asyncio only: the blocking `wrap_socket` would find no authorities."""
    setattr(ssl.SSLContext, LOAD, _become_late)
    try:
        yield
    finally:
        delattr(ssl.SSLContext, LOAD)
