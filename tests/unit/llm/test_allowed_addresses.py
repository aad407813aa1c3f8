"""Patterns of addresses, and the addresses they allow."""

import pytest

from yarrow.errors import InvalidInput, Misconfigured
from yarrow.kit.ip_addresses import is_public
from yarrow.llm.allowed_addresses import AllowedAddresses, parse_pattern


def allows(pattern: str, address: str) -> bool:
    try:
        AllowedAddresses([pattern]).require(address)
    except InvalidInput:
        return False
    return True


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("https://api.openai.com/*", "https://api.openai.com/v1"),
        ("https://api.openai.com/*", "https://API.OpenAI.com./v1"),
        ("https://api.openai.com/v1", "https://api.openai.com:443/v1"),
        ("https://api.openai.com", "https://api.openai.com/any/path"),
        ("https://*.example.com/*", "https://eu.models.example.com/v1"),
        ("http://localhost:11434/*", "http://localhost:11434/v1"),
        ("http://127.0.0.1:*", "http://127.0.0.1:9100/v1"),
        ("http://127.0.0.1:9100/v1*", "http://127.0.0.1:9100/v1"),
        ("http://[::1]:9100/*", "http://[::1]:9100/v1"),
        ("http://10.1.2.3:8000/*", "http://10.1.2.3:8000/v1"),
        ("*", "https://anything.example:8443/v1"),
        ("https://*/*", "https://93.184.216.34/v1"),
        ("*://models.example.com/*", "http://models.example.com/v1"),
        ("*://models.example.com/*", "https://models.example.com/v1"),
        ("*://models.example.com:*/*", "http://models.example.com:1234/v1"),
    ],
)
def test_an_address_is_allowed_part_by_part(pattern: str, address: str) -> None:
    assert allows(pattern, address)


@pytest.mark.parametrize(
    ("pattern", "address"),
    [
        ("http://*.example.com/*", "http://127.0.0.1:9000/x.example.com/v1"),
        ("http://*.example.com/*", "http://evil.test/a.example.com/"),
        ("http://*.example.com/*", "http://evil.test:80@x.example.com/v1"),
        ("http://*.example.com/*", "http://a.example.com:8080/v1"),
        ("http://*.example.com/*", "https://a.example.com/v1"),
        ("http://*.example.com/*", "http://a.example.com.evil.test/v1"),
        ("https://api.openai.com/v1", "https://api.openai.com/v2"),
        ("https://api.openai.com/v1/*", "https://api.openai.com/v1/../admin"),
        ("https://api.openai.com/v1/*", "https://api.openai.com/v1/..%2fadmin"),
        ("https://api.openai.com/v1/*", "https://api.openai.com/v1/..%5cadmin"),
        ("https://api.openai.com/*", "https://api.openai.com/v1?x=1"),
        ("https://api.openai.com/*", "https://api.openai.com/v1/files?"),
        ("https://api.openai.com/*", "https://api.openai.com/v1/files#"),
        ("https://api.openai.com/*", "https://@api.openai.com/v1"),
        ("https://api.openai.com/*", "https://:@api.openai.com/v1"),
        ("*", "http://127.0.0.1:11434/v1"),
        ("*", "http://127.1:11434/v1"),
        ("*", "http://2130706433/v1"),
        ("*", "http://[::1]/v1"),
        ("*", "http://[::ffff:10.0.0.1]/v1"),
        ("http://*:*/*", "http://169.254.169.254/latest"),
        ("http://127.0.0.*:*/*", "http://127.0.0.1:80/v1"),
        ("http://10.1.2.3:8000/*", "http://10.1.2.3:5432/v1"),
        ("*", "http://[half/v1"),
    ],
)
def test_other_addresses_are_refused(pattern: str, address: str) -> None:
    assert not allows(pattern, address)


@pytest.mark.parametrize(
    "pattern", ["api.openai.com", "ftp://x/*", "https://", "https://a b/", "https://u:p@x/*", ""]
)
def test_an_invalid_pattern_stops_the_start(pattern: str) -> None:
    with pytest.raises(Misconfigured):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::808:808", True),
        ("64:ff9b::e000:1", False),
        ("64:ff9b:1::7f00:1", False),
        ("2002:7f00:1::", False),
        ("2002:808:808::", True),
        ("fec0::1", False),
        ("::7f00:1", False),
        ("::ffff:0:127.0.0.1", False),
        ("ff0e::1", False),
        ("localhost", False),
    ],
)
def test_addresses_of_our_own_network_are_not_public(address: str, public: bool) -> None:
    assert is_public(address) is public
