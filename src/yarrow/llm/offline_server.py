"""The child process of the offline model: llama.cpp's own server on a free loopback port.

    python -m yarrow.llm.offline_server WEIGHTS.gguf

Reads the API key it must require from the first line of stdin, prints the port, and runs until
stdin is closed. Only the parent holds the other end of that pipe, so this process ends with the
parent, by `kill -9` too, on every system.
"""

import os
import sys
from urllib.parse import urlsplit

import xllamacpp

from yarrow.llm.offline_fit import CONTEXT_TOKENS

SLOTS = 2
"""Answers at a time; other requests wait."""


def main() -> None:
    """Load the model, print the port, and wait until stdin is closed."""
    server = xllamacpp.Server(_build_parameters(sys.argv[1], key=sys.stdin.readline().strip()))
    sys.stdout.write(f"{urlsplit(server.listening_address).port}\n")
    sys.stdout.flush()
    sys.stdin.read()
    # Threads of the server may still work on an answer that nobody awaits.
    os._exit(0)


def _build_parameters(weights: str, *, key: str) -> xllamacpp.CommonParams:
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
    # Otherwise the model is loaded twice, the first time to see what would fit on a GPU.
    parameters.fit_params = False
    return parameters


if __name__ == "__main__":
    main()
