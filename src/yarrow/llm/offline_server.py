"""The child process of the offline model: llama.cpp's own server on a free loopback port.

    python -m yarrow.llm.offline_server WEIGHTS.gguf

Reads the key it has to ask for from the first line of stdin, prints the port, and lives until
stdin ends. The parent holds the other end of that pipe and nothing else does, so however the
parent goes, `kill -9` included, this process goes with it, on every system.
"""

import os
import sys
from urllib.parse import urlsplit

import xllamacpp

from yarrow.llm.offline_fit import CONTEXT_TOKENS

SLOTS = 2
"""Answers at a time; others wait their turn."""


def main() -> None:
    """Load, say where, and wait for the end of stdin."""
    server = xllamacpp.Server(_parameters(sys.argv[1], key=sys.stdin.readline().strip()))
    sys.stdout.write(f"{urlsplit(server.listening_address).port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    # The server's threads may be in the middle of an answer nobody waits for any more.
    os._exit(0)


def _parameters(weights: str, *, key: str) -> xllamacpp.CommonParams:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = weights
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [key]
    parameters.ui = False
    parameters.n_parallel = SLOTS
    parameters.n_ctx = SLOTS * CONTEXT_TOKENS
    # More threads spin while they wait for each other and starve everybody else on small machines.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.n_gpu_layers = 0
    parameters.cache_ram_mib = 0
    parameters.warmup = False
    return parameters


if __name__ == "__main__":
    main()
