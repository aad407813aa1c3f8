"""Which hosts and folders a server lets its accounts reach."""

from pathlib import Path

import pytest

from yarrow.errors import Misconfigured
from yarrow.sources.address import parse_source_address
from yarrow.sources.allowed_hosts import AllowedHosts, parse_host_pattern
from yarrow.sources.errors import SourceAddressDenied


async def check(reach: AllowedHosts, url: str) -> str:
    return (await reach.check(parse_source_address(url))).ip


async def test_a_local_user_may_reach_everything() -> None:
    reach = AllowedHosts()

    assert await check(reach, "postgresql://u@127.0.0.1:5432/d") == "127.0.0.1"
    assert await check(reach, "sqlite:///anything") == ""


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u@127.0.0.1:5433/d",
        "mysql://u@127.0.0.1:5432/d",
        "postgresql://u@10.0.0.1:5432/d",
        "postgresql://u@localhost:5432/d",
        "sqlite:///anything",
        "file:///",
    ],
    ids=range(6),
)
async def test_accounts_reach_what_is_named_and_nothing_else(url: str) -> None:
    reach = AllowedHosts(hosts=["postgresql://127.0.0.1:5432"], folders=[])

    assert await check(reach, "postgresql://u@127.0.0.1:5432/d") == "127.0.0.1"
    with pytest.raises(SourceAddressDenied):
        await check(reach, url)


async def test_a_wildcard_does_not_allow_private_addresses() -> None:
    reach = AllowedHosts(hosts=["*:*"], folders=[])

    for host in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "localhost", "0.0.0.0"):
        with pytest.raises(SourceAddressDenied):
            await check(reach, f"postgresql://u@{host}:5432/d")


async def test_the_servers_own_database_is_refused() -> None:
    own = "postgresql://yarrow:pw@127.0.0.1:5432/yarrow"
    reach = AllowedHosts(hosts=["127.0.0.1:*"], folders=[], own_database=own)

    assert await check(reach, "postgresql://u@127.0.0.1:5433/d")
    with pytest.raises(SourceAddressDenied, match="server itself"):
        await check(reach, "postgresql://u@127.0.0.1:5432/other")


@pytest.mark.parametrize(
    "own",
    [
        "postgresql://yarrow:pw@127.0.0.1:5432,127.0.0.2:6432/yarrow",
        "postgresql://yarrow:pw@127.0.0.1,127.0.0.2:6432/yarrow",
        "postgresql:///yarrow?host=127.0.0.1,127.0.0.2&port=5432,6432",
    ],
    ids=range(3),
)
async def test_each_host_of_the_servers_own_database_is_refused(own: str) -> None:
    reach = AllowedHosts(hosts=["127.0.0.1:*", "127.0.0.2:*"], folders=[], own_database=own)

    assert await check(reach, "postgresql://u@127.0.0.1:6432/d")
    for place in ("127.0.0.1:5432", "127.0.0.2:6432"):
        with pytest.raises(SourceAddressDenied, match="server itself"):
            await check(reach, f"postgresql://u@{place}/d")


async def test_one_port_and_brackets_of_the_servers_own_database_are_read() -> None:
    own = "postgresql://u@[::1]:5433/d?port=5432"
    reach = AllowedHosts(hosts=["[::1]:*"], folders=[], own_database=own)

    assert await check(reach, "postgresql://u@[::1]:5433/d")
    with pytest.raises(SourceAddressDenied, match="server itself"):
        await check(reach, "postgresql://u@[::1]:5432/d")


async def test_links_do_not_lead_out_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    (folder / "link.db").symlink_to("/etc/passwd")
    reach = AllowedHosts(hosts=[], folders=[folder])

    assert await check(reach, f"sqlite://{folder}/own.db") == ""
    with pytest.raises(SourceAddressDenied):
        await check(reach, f"sqlite://{folder}/link.db")
    with pytest.raises(SourceAddressDenied):
        await check(reach, f"sqlite://{folder}-other/x.db")


@pytest.mark.parametrize("text", ["", "host", "oracle://h:1", "http://h:80", "h:port"])
def test_a_pattern_that_cannot_be_one_is_misconfigured(text: str) -> None:
    with pytest.raises(Misconfigured):
        parse_host_pattern(text)
