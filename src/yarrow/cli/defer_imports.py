"""Defer work that libraries do while modules are imported until its result is first used."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import BaseModel


@contextmanager
def defer_import_work() -> Iterator[None]:
    """Around imports: collect no garbage, and build no validators of pydantic models.

    Models inherit `defer_build`, and with them FastAPI's adapters of them: pydantic builds a
    validator at its first use, under a lock. One process uses a small part of them.
    """
    gc.disable()
    BaseModel.model_config["defer_build"] = True
    try:
        yield
    finally:
        del BaseModel.model_config["defer_build"]
        # Modules live as long as the process: no collection has to look at them.
        gc.freeze()
        gc.enable()
