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
    "aiohappyeyeballs",
    "aiohttp",
    "aiosignal",
    "annotated_doc",
    "annotated_types",
    "anyio",
    "argon2",
    "asyncpg",
    "attr",
    "backports",
    "cachetools",
    "click",
    "croniter",
    "dateutil",
    "dotenv",
    "fastapi",
    "frozenlist",
    "httptools",
    "idna",
    "markdown_it",
    "markupsafe",
    "mdurl",
    "msgspec",
    "multidict",
    "opentelemetry",
    "pgqueuer",
    "prometheus_client",
    "propcache",
    "psutil",
    "pydantic",
    "pydantic_core",
    "pydantic_settings",
    "python_multipart",
    "quickjs",
    "rs_bpe",
    "six",
    "starlette",
    "typing_extensions",
    "typing_inspection",
    "uvicorn",
    "uvloop",
    "yarl",
}
"""Third-party packages that `yarrow serve` imports before it answers. A new one costs every start
CPU and memory: import it in the function that needs it, with the reason, or add it here."""

LIST_PACKAGES = """
import sys
import yarrow.cli.serve
files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
print(*{name.partition(".")[0] for name, file in files.items() if "site-packages" in file})
"""


@pytest.mark.slow
def test_the_server_imports_no_library_that_a_start_does_not_need() -> None:
    command = [sys.executable, "-c", LIST_PACKAGES]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert set(done.stdout.split()) - AT_START - {"yarrow"} == set()
