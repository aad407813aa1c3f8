"""Serve with an installed `yarrow` and ask it a question, as a new user would.

    python scripts/try_wheel.py VENV/bin/yarrow

The environment is empty, and the data dir a new folder: nothing of this repository is used.
"""

import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from uuid import uuid4

QUESTION, EXPECTED = "What is 17 × 23?", "391"
START_S = 120


def main(command: str) -> None:
    """Raise unless the server starts, answers and stops."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        arguments = [command, "serve", "--port", str(port), "--data-dir", f"{folder}/data"]
        server = subprocess.Popen(arguments, cwd=folder, env={"PATH": "/usr/bin:/bin"})
        try:
            _wait_until_ready(f"http://127.0.0.1:{port}/healthz", server)
            answer = _ask(f"http://127.0.0.1:{port}/api/v1/agent/runs")
        finally:
            server.send_signal(signal.SIGINT)
            code = server.wait(60)
    if EXPECTED not in answer or code != 0:
        sys.exit(f"asked {QUESTION}, got {answer!r}; the server ended with {code}")
    print(f"{QUESTION} {answer}")


def _wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(START_S * 4):
        if server.poll() is not None:
            sys.exit(f"the server ended with {server.returncode}")
        try:
            urllib.request.urlopen(url, timeout=2).close()  # noqa: S310 - loopback
        except OSError:
            time.sleep(0.25)
        else:
            return
    sys.exit(f"not ready after {START_S} s")


def _ask(url: str) -> str:
    """Post the question and read the answer from the last event of its stream."""
    message = {"id": "m1", "role": "user", "content": QUESTION}
    body = {"threadId": str(uuid4()), "runId": "run-1", "messages": [message]}
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as response:  # noqa: S310
        events = [json.loads(line[6:]) for line in response if line.startswith(b"data: ")]
    return str(events[-1].get("result", {}).get("answer", events[-1]))


if __name__ == "__main__":
    main(sys.argv[1])
