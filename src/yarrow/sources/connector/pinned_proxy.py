"""An HTTP proxy on loopback that connects to one checked address only.

For drivers that are not written in Python and resolve host names themselves: they get this proxy,
ask it for `CONNECT host:port`, and speak TLS through it.
"""

import socket
import threading

MAX_HEAD = 8192
CONNECT_TIMEOUT_S = 10.0
CHUNK = 64 * 1024
_REFUSED = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"
_AWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"
_CONNECTED = b"HTTP/1.1 200 Connection established\r\n\r\n"


def open_pinned_proxy(host: str, ip: str, port: int) -> int:
    """Serve until the process ends; returns the proxy's port."""
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(
        target=_serve_connections, args=(listener, f"{host}:{port}", ip, port), daemon=True
    ).start()
    return int(listener.getsockname()[1])


def _serve_connections(listener: socket.socket, target: str, ip: str, port: int) -> None:
    while True:
        client, _ = listener.accept()
        threading.Thread(
            target=_tunnel_client, args=(client, target, ip, port), daemon=True
        ).start()


def _tunnel_client(client: socket.socket, target: str, ip: str, port: int) -> None:
    with client:
        method, wanted = _read_request(client)
        if method != "CONNECT" or wanted.lower() != target.lower():
            client.sendall(_REFUSED)
            return
        try:
            server = socket.create_connection((ip, port), CONNECT_TIMEOUT_S)
        except OSError:
            client.sendall(_AWAY)
            return
        server.settimeout(None)
        with server:
            client.sendall(_CONNECTED)
            back = threading.Thread(target=_copy_stream, args=(server, client), daemon=True)
            back.start()
            _copy_stream(client, server)
            back.join()


def _read_request(client: socket.socket) -> tuple[str, str]:
    head = b""
    while b"\r\n\r\n" not in head and len(head) < MAX_HEAD:
        data = client.recv(CHUNK)
        if not data:
            break
        head += data
    words = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    return (words[0], words[1]) if len(words) == 3 else ("", "")


def _copy_stream(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return
