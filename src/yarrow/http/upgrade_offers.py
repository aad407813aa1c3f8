"""Parse requests that offer to upgrade the connection as if they did not.

httptools takes what follows the head of such a request for another protocol. The body of a POST
of `curl --http2` or Java's HttpClient would be lost, and then be read as the next request.
"""

from typing import TYPE_CHECKING

from httptools import HttpParserUpgrade, HttpRequestParser

if TYPE_CHECKING:
    from yarrow.http.client_limits import BoundedHttpProtocol

_FRAMING = (b"content-length", b"transfer-encoding")


class UpgradeIgnoringParser(HttpRequestParser):
    """Parses what follows an offer as HTTP/1.1, in place of raising `HttpParserUpgrade`."""

    def __init__(
        self, protocol: "BoundedHttpProtocol", callbacks: "_BodyCallbacks | None" = None
    ) -> None:
        super().__init__(callbacks or protocol)
        self.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn does
        self._protocol = protocol

    def feed_data(self, data: bytes) -> None:  # type: ignore[override]
        parser = self
        while True:
            try:
                HttpRequestParser.feed_data(parser, data)
            except HttpParserUpgrade as offer:
                data = data[offer.args[0] :]
                parser = parser._go_on()
            else:
                return

    def has_lost_body(self) -> bool:
        """Whether this parser is about to take the body of the request for another protocol."""
        return self.should_upgrade() and bool(self._list_framing())

    def _list_framing(self) -> list[bytes]:
        """The fields of the head that announce a body."""
        fields = self._protocol.headers
        return [b"%b: %b\r\n" % field for field in fields if field[0] in _FRAMING]

    def _go_on(self) -> "UpgradeIgnoringParser":
        """The parser of what follows the head; httptools gives no way to parse the body in this."""
        framing = self._list_framing()
        if not framing:
            return self
        parser = UpgradeIgnoringParser(self._protocol, _BodyCallbacks(self._protocol))
        self._protocol.parser = parser
        HttpRequestParser.feed_data(parser, b"POST / HTTP/1.1\r\n%b\r\n" % b"".join(framing))
        return parser


class _BodyCallbacks:
    """Callbacks of a parser whose first head is not from the client: it is not passed on."""

    def __init__(self, protocol: "BoundedHttpProtocol") -> None:
        self._protocol = protocol
        self._is_first_head = True
        self.on_body = protocol.on_body
        self.on_message_complete = protocol.on_message_complete

    def on_message_begin(self) -> None:
        if not self._is_first_head:
            self._protocol.on_message_begin()

    def on_url(self, url: bytes) -> None:
        if not self._is_first_head:
            self._protocol.on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._is_first_head:
            self._protocol.on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._is_first_head:
            self._is_first_head = False
        else:
            self._protocol.on_headers_complete()
