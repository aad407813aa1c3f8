"""Classes that are made while import work is deferred behave as those that are made without."""

import dataclasses
import gc
import inspect
import pickle
import ssl
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest
from pydantic import BaseModel, ValidationError

from yarrow.cli.defer_imports import LateMethod, LateTrustContext, defer_import_work

with defer_import_work():

    @dataclass(frozen=True, slots=True, order=True)
    class DeferredPoint:
        """A point."""

        x: int
        y: int = 2
        names: tuple[str, ...] = field(default=(), repr=False)

    @dataclass
    class DeferredParent:
        first: int

    @dataclass
    class DeferredChild(DeferredParent):
        second: list[int] = field(default_factory=list)

        def __post_init__(self) -> None:
            self.second.append(self.first)

    class DeferredBody(BaseModel):
        amount: int


def test_a_deferred_dataclass_compares_hashes_and_orders_by_its_fields() -> None:
    point = DeferredPoint(1)

    assert repr(point).endswith("DeferredPoint(x=1, y=2)")
    assert point == DeferredPoint(1, 2)
    assert point != DeferredPoint(2)
    assert hash(point) == hash(DeferredPoint(1, y=2))
    assert point < DeferredPoint(1, 3)
    assert replace(point, y=5) == DeferredPoint(1, 5)
    assert pickle.loads(pickle.dumps(point)) == point


def test_a_deferred_frozen_dataclass_refuses_assignment() -> None:
    point = DeferredPoint(1)

    with pytest.raises(FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del point.x


def test_a_deferred_method_is_compiled_once_with_its_real_signature() -> None:
    assert isinstance(vars(DeferredParent)["__init__"], LateMethod)

    assert (
        str(inspect.signature(DeferredChild))
        == "(first: int, second: list[int] = <factory>) -> None"
    )
    assert DeferredChild(3).second == [3]
    assert DeferredChild.__init__.__qualname__ == "DeferredChild.__init__"
    assert not isinstance(vars(DeferredChild)["__init__"], LateMethod)
    with pytest.raises(TypeError, match="first"):
        DeferredParent()  # type: ignore[call-arg]


def test_a_deferred_model_is_built_at_its_first_use() -> None:
    assert not DeferredBody.__pydantic_complete__

    with pytest.raises(ValidationError):
        DeferredBody.model_validate({"amount": "x"})
    assert DeferredBody(amount=1).model_dump() == {"amount": 1}
    assert DeferredBody.__pydantic_complete__


def test_a_deferred_tls_context_loads_its_authorities_before_it_connects() -> None:
    with defer_import_work():
        context = ssl.create_default_context()
    assert isinstance(context, LateTrustContext)
    assert context.verify_mode is ssl.CERT_REQUIRED

    context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="localhost")

    assert type(context) is ssl.SSLContext
    expected = ssl.create_default_context().cert_store_stats()
    assert context.cert_store_stats() == expected
    assert type(ssl.create_default_context()) is ssl.SSLContext


def test_nothing_is_deferred_after_the_block() -> None:
    with pytest.raises(LookupError), defer_import_work():
        raise LookupError

    @dataclass
    class Later:
        value: int

    class LaterBody(BaseModel):
        value: int

    assert not isinstance(vars(Later)["__init__"], LateMethod)
    assert LaterBody.__pydantic_complete__
    assert gc.isenabled()
    assert dataclasses._create_fn.__module__ == "dataclasses"  # type: ignore[attr-defined]


CHECK = """
import dataclasses, importlib, inspect, pkgutil, sys
from yarrow.cli.defer_imports import defer_import_work
with defer_import_work():
    import yarrow.server
for module in [each for name, each in sys.modules.items() if name.startswith("yarrow.")]:
    for name, value in vars(module).items():
        if isinstance(value, type) and value.__module__ == module.__name__:
            if dataclasses.is_dataclass(value):
                names = [each.name for each in dataclasses.fields(value) if each.init]
                assert list(inspect.signature(value).parameters) == names, value
            elif hasattr(value, "model_rebuild") and not inspect.isabstract(value):
                assert value.model_rebuild() is not False, value
"""


def test_every_deferred_class_of_the_server_can_be_completed() -> None:
    subprocess.run([sys.executable, "-c", CHECK], check=True)
