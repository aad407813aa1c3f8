"""Addresses of attachments as a caller sees them: scheme and host in front of a signed target."""

from dataclasses import dataclass

from fastapi import Request

from yarrow.attachments.signing import FILES, UrlSigner


@dataclass(frozen=True, slots=True)
class Links:
    """Signed addresses under one origin."""

    signer: UrlSigner
    origin: str

    def url(self, path: str) -> str:
        """A fresh address of the attachment at this path."""
        return self.origin + self.signer.target(path)

    def path(self, url: str) -> str | None:
        """The attachment an address leads to; None when the address is another server's.

        Ours is what lies at our origin, and what looks like ours at any other: a server may have
        several names, and the signature proves more than a name. Nothing is ever fetched.
        """
        if url.startswith(f"{self.origin}/"):
            return self.signer.verify(url.removeprefix(self.origin))
        target = _behind_host(url)
        return self.signer.verify(target) if target.startswith(FILES) else None


@dataclass(frozen=True, slots=True)
class LinkMaker:
    """Finds the origin: the configured one, else the one the caller used."""

    signer: UrlSigner
    public_base_url: str | None

    def at(self, request: Request) -> Links:
        origin = self.public_base_url or str(request.base_url)
        return Links(self.signer, origin.rstrip("/"))


def _behind_host(url: str) -> str:
    """Everything from the path on, letter by letter: parsers are too kind to what was changed."""
    behind_scheme = url.partition("://")[2]
    return behind_scheme[behind_scheme.find("/") :] if "/" in behind_scheme else ""
