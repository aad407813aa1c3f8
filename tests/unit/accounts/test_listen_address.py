"""Where a server without accounts may listen."""

import pytest

from yarrow.accounts.listen_address import require_safe_binding
from yarrow.errors import Misconfigured
from yarrow.settings import AuthMode


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_server_without_accounts_may_listen_on_loopback(host: str) -> None:
    require_safe_binding(AuthMode.OFF, host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.0.0.1", "example.org"])
def test_server_without_accounts_must_not_listen_elsewhere(host: str) -> None:
    with pytest.raises(Misconfigured, match="YARROW_AUTH"):
        require_safe_binding(AuthMode.OFF, host)


def test_server_with_accounts_may_listen_anywhere() -> None:
    require_safe_binding(AuthMode.JWT, "0.0.0.0")
