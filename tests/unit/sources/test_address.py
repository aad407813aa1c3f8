"""Addresses of sources: what they mean, and what is never passed to a driver."""

import pytest

from yarrow.errors import InvalidInput
from yarrow.sources.address import parse_source_address, require_source_name
from yarrow.sources.model import SourceKind


def test_an_address_is_read_in_its_parts() -> None:
    address = parse_source_address("postgres://me:p%40ss@Db.Example.com/shop?sslmode=require")

    assert address.kind is SourceKind.POSTGRESQL
    assert (address.host, address.port, address.database) == ("db.example.com", 5432, "shop")
    assert (address.user, address.password) == ("me", "p@ss")
    assert address.text == "postgresql://db.example.com:5432/shop"
    assert "p@ss" not in repr(address)


def test_a_password_beside_the_address_replaces_its_own() -> None:
    assert parse_source_address("mysql://me:old@h/d", "new/@").password == "new/@"


@pytest.mark.parametrize(
    ("url", "host", "text"),
    [
        ("s3://k:s@bucket/a/b", "s3.us-east-1.amazonaws.com", "s3://bucket/a/b"),
        ("s3://k:s@bucket?region=eu-west-1", "s3.eu-west-1.amazonaws.com", "s3://bucket"),
        ("s3://k:s@b?endpoint=http://h:9000", "h", "s3://b"),
        ("bigquery://project/data", "bigquery.googleapis.com", "bigquery://project/data"),
        (
            "snowflake://u:p@org-acc/db/s",
            "org-acc.snowflakecomputing.com",
            "snowflake://org-acc/db/s",
        ),
    ],
    ids=range(5),
)
def test_the_host_of_a_cloud_service_follows_from_its_address(url, host, text) -> None:
    address = parse_source_address(url)

    assert (address.host, address.text) == (host, text)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:secret@/d",
        "postgresql://u:secret@h/",
        "postgresql://u:secret@h/d?passfile=/etc/passwd",
        "postgresql://u:secret@h/d?sslmode=none",
        "postgresql://u:secret@h:port/d",
        "postgresql://u:secret@h /d",
        "postgresql://u:secret@h/d#f",
        "postgresql://u:secret@%2Ftmp/d",
        "sqlite://secret/../x",
        "file:///a/../secret",
        "snowflake://u:secret@evil.com%2F/db",
        "s3://k:secret@b?endpoint=http://user@h",
        "s3://k:secret@b?endpoint=https://h:99999",
        "s3://k:secret@b?endpoint=https://[::1",
        "secret",
    ],
    ids=range(15),
)
def test_other_addresses_are_refused_without_repeating_them(url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_source_address(url)

    assert "secret" not in str(refused.value).replace("key:secret@bucket", "")


@pytest.mark.parametrize("name", ["", " ", "a/b", "../x", "x" * 65, "a b", "-x"])
def test_names_that_no_path_can_have_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        require_source_name(name)
