"""The program and the environment of a fork server."""

from typing import Final

BOOTSTRAP: Final = """
import os, sys
sys.path[:0] = sys.argv.pop(1).split(os.pathsep)
from yarrow.sandbox.fork_server import main
main(*sys.argv[1:])
"""
"""The import path is an argument, because jobs can read the environment the process began with."""
ENVIRONMENT: Final = {
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONDONTWRITEBYTECODE": "1",
    "MALLOC_ARENA_MAX": "2",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "HOME": "/job",
}
"""No setting of the server; only what keeps libraries from starting threads before the fork."""
