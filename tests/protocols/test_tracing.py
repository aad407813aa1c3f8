"""Spans of a run reach a collector, and carry ids but no contents."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from tests.serving import Served, run_body
from tests.waiting import wait_until

from yarrow.http.telemetry import export_spans


class Collector(ThreadingHTTPServer):
    """Keeps what is sent to it."""

    received = b""


class _Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Collector)
        self.server.received += self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector(("127.0.0.1", 0), _Receiver)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


async def test_the_spans_of_a_run_are_sent(served: Served, collector: Collector) -> None:
    caller = await served.account()
    body = run_body("my secret pineapple")

    with export_spans(f"http://127.0.0.1:{collector.server_port}/v1/traces"):
        accepted = await caller.submit(body)
        await caller.events(body["threadId"], body["runId"])
        await wait_until(lambda: not served.product.executions.active)

    for name in (b"run.accept", b"run.execute", b"run.settle"):
        assert name in collector.received
    assert accepted["taskId"].encode() in collector.received
    assert b"pineapple" not in collector.received
