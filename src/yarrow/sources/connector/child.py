"""The connector process: one request comes in on stdin, one response goes out on stdout.

Started as `python -m yarrow.sources.connector.child`. When stdin is closed before the response
was written, the query is cancelled at the source and the process exits.
"""

import os
import resource
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import yarrow
from yarrow.isolation.landlock import is_available, restrict_files
from yarrow.kit.frames import read_frame, write_frame
from yarrow.sources.connector.messages import (
    READY,
    ConnectorRequest,
    ConnectorResponse,
    ConnectorStatus,
)
from yarrow.sources.model import FILE_KINDS

if TYPE_CHECKING:
    from yarrow.sources.connector.driver import SourceDriver

TABLES_EXTRA = "analyst"
CANCEL_GRACE_S = 2.0
OPEN_FILES = 256
_CERTIFICATES = ("/etc/ssl", "/etc/pki/tls/certs", "/etc/pki/ca-trust", "/var/lib/ca-certificates")
_SYSTEM_FILES = (*_CERTIFICATES, "/etc/localtime", "/etc/passwd", "/usr/share")
_CGROUPS = ("/proc/self/cgroup", "/sys/fs/cgroup")
"""DuckDB crashes where it cannot read the limits of its memory."""


class _Canceller:
    """Cancels the query of the driver, once there is one, when the server hangs up."""

    def __init__(self) -> None:
        self._driver: SourceDriver | None = None
        threading.Thread(target=self._watch_stdin, daemon=True).start()

    def set_driver(self, driver: "SourceDriver") -> None:
        self._driver = driver

    def _watch_stdin(self) -> None:
        sys.stdin.buffer.read(1)
        try:
            if self._driver is not None:
                exit_late = threading.Timer(CANCEL_GRACE_S, os._exit, (1,))
                exit_late.daemon = True
                exit_late.start()
                self._driver.cancel()
        finally:
            os._exit(1)


class _WithoutPandas:
    """Hides pandas, which pyarrow would import: that takes longer than most queries."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def main() -> None:
    out = sys.stdout.buffer
    out.write(READY)
    out.flush()
    frame = read_frame(sys.stdin.buffer, ConnectorRequest)
    if frame is None:
        return
    request, _ = frame
    _isolate_process(request)
    sys.meta_path.insert(0, _WithoutPandas())
    canceller = _Canceller()
    try:
        from yarrow.sources.connector.carry_out import carry_out_request  # noqa: PLC0415
    except ModuleNotFoundError:
        response, body = ConnectorResponse(ConnectorStatus.NO_DRIVER, TABLES_EXTRA), b""
    else:
        response, body = carry_out_request(request, canceller.set_driver)
    write_frame(out, response, body)
    os._exit(0)  # neither joins threads of drivers nor closes connections that no longer answer


def _isolate_process(request: ConnectorRequest) -> None:
    """Leave this process its libraries and the files of its source; no file may be created."""
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
        resource.RLIMIT_DATA: request.limits.memory_bytes,
    }
    for kind, value in limits.items():
        resource.setrlimit(kind, (value, value))
    if not is_available():
        return
    paths = [Path(yarrow.__file__).parent, *map(Path, (*_SYSTEM_FILES, *_CGROUPS))]
    if request.address.kind in FILE_KINDS:
        source = Path(request.address.database)
        beside = (source.with_name(source.name + end) for end in ("-wal", "-shm", "-journal"))
        paths += [source, *beside]
    restrict_files(readable=paths)


if __name__ == "__main__":
    main()
