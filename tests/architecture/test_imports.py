"""A server starts with few libraries: what only some requests need is imported by these."""

import subprocess
import sys

import pytest

AT_START = {
    "_argon2_cffi_bindings",
    "_cffi_backend",
    "_distutils_hack",
    "_quickjs",
    "ahocorasick_rs",
    "annotated_doc",
    "annotated_types",
    "anyio",
    "argon2",
    "asyncpg",
    "backports",
    "cachetools",
    "click",
    "dotenv",
    "fastapi",
    "httptools",
    "markupsafe",
    "msgspec",
    "opentelemetry",
    "prometheus_client",
    "psutil",
    "pydantic",
    "pydantic_core",
    "pydantic_settings",
    "python_multipart",
    "quickjs",
    "rs_bpe",
    "starlette",
    "typing_extensions",
    "typing_inspection",
    "uvicorn",
    "uvloop",
}
"""Third-party packages that `yarrow serve` imports before it answers. A new one costs every start
CPU and memory: import it in the function that needs it, with the reason, or add it here."""

LATER = {
    "yarrow.charting.compile",
    "yarrow.charting.question_reader",
    "yarrow.llm.rule_based.decide",
}
"""Modules of ours that are slow to import and that many servers never use."""

LIST_MODULES = """
import sys
import yarrow.cli.serve
print(*sys.modules)
"""

LIST_PACKAGES = """
import sys
import yarrow.cli.serve
files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
print(*{name.partition(".")[0] for name, file in files.items() if "site-packages" in file})
"""


@pytest.mark.slow
def test_the_server_imports_no_library_that_a_start_does_not_need() -> None:
    assert _run(LIST_PACKAGES) - AT_START - {"yarrow"} == set()


@pytest.mark.slow
def test_the_server_imports_slow_modules_when_they_are_first_used() -> None:
    assert _run(LIST_MODULES) & LATER == set()


def _run(code: str) -> set[str]:
    """The words that a new process prints."""
    command = [sys.executable, "-c", code]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
