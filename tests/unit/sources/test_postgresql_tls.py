"""A PostgreSQL server's certificate is verified in the connector process, with its files hidden."""

import asyncio
import ssl
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from yarrow.sources.address import parse_source_address
from yarrow.sources.connector.process import Connector
from yarrow.sources.errors import SourceUnavailable

SSL_REQUEST_BYTES = 8


@pytest.fixture(scope="module")
def unknown_certificate(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    """Of `localhost`, signed by itself."""
    folder: Path = tmp_path_factory.mktemp("tls")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    command = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *names)
    files = ("-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"))
    subprocess.run([*command, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.mark.slow
@pytest.mark.parametrize("sslmode", ["verify-ca", "verify-full"])
async def test_an_unknown_authority_is_found_by_verification(
    unknown_certificate: ssl.SSLContext, sslmode: str
) -> None:
    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(SSL_REQUEST_BYTES)
        writer.write(b"S")
        try:
            await writer.start_tls(unknown_certificate)
        except (ssl.SSLError, ConnectionError):
            writer.close()

    connector = Connector(slots=1, per_account=1, timeout_s=30, max_rows=1, max_bytes=1)
    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        address = parse_source_address(f"postgresql://u@localhost:{port}/d?sslmode={sslmode}")
        with pytest.raises(SourceUnavailable, match="certificate verify failed"):
            await connector.ping(replace(address, ip="127.0.0.1"), owner="a")
