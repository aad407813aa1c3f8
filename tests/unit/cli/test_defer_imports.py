"""Models that are made while import work is deferred behave as those that are made without."""

import gc
import subprocess
import sys

import pytest
from pydantic import BaseModel, ValidationError

from yarrow.cli.defer_imports import defer_import_work

with defer_import_work():

    class DeferredBody(BaseModel):
        amount: int


def test_a_deferred_model_is_built_at_its_first_use() -> None:
    assert not DeferredBody.__pydantic_complete__

    with pytest.raises(ValidationError):
        DeferredBody.model_validate({"amount": "x"})
    assert DeferredBody(amount=1).model_dump() == {"amount": 1}
    assert DeferredBody.__pydantic_complete__


def test_nothing_is_deferred_after_the_block() -> None:
    with pytest.raises(LookupError), defer_import_work():
        raise LookupError

    class LaterBody(BaseModel):
        value: int

    assert LaterBody.__pydantic_complete__
    assert gc.isenabled()


CHECK = """
import sys
from yarrow.cli.defer_imports import defer_import_work
with defer_import_work():
    import yarrow.server
for module in [each for name, each in sys.modules.items() if name.startswith("yarrow.")]:
    for value in vars(module).values():
        is_own = isinstance(value, type) and value.__module__ == module.__name__
        if is_own and hasattr(value, "model_rebuild"):
            assert value.model_rebuild() is not False, value
"""


@pytest.mark.slow
def test_every_deferred_model_of_the_server_can_be_built() -> None:
    subprocess.run([sys.executable, "-c", CHECK], check=True)
