"""URLs of attachments as a caller sees them: scheme and host in front of a signed target."""

from datetime import timedelta

from fastapi import Request
from msgspec import Struct

from yarrow.accounts.server_secrets import read_signing_secret
from yarrow.attachments.signed_urls import FILES, UrlSigner
from yarrow.clock import system_clock
from yarrow.settings import Settings


class AttachmentUrls(Struct, frozen=True):
    """Signed URLs under one origin."""

    signer: UrlSigner
    origin: str

    def sign(self, path: str) -> str:
        """A fresh URL of the attachment at this path."""
        return self.origin + self.signer.sign_path(path)

    def find_path(self, url: str) -> str | None:
        """The path of the attachment behind a URL; None for a URL of another server.

        Ours is every URL at our origin, and at any other host one whose path is that of our
        files: a server may have several names, and the signature is what proves the URL. Nothing
        is ever fetched.
        """
        if url.startswith(f"{self.origin}/"):
            return self.signer.verify(url.removeprefix(self.origin))
        target = _cut_origin(url)
        return self.signer.verify(target) if target.startswith(FILES) else None


class AttachmentUrlBuilder(Struct, frozen=True):
    """Knows the origin: the configured one, else the one of the request."""

    signer: UrlSigner
    public_base_url: str | None

    def for_request(self, request: Request) -> AttachmentUrls:
        return AttachmentUrls(self.signer, self.find_origin(request))

    def find_origin(self, request: Request) -> str:
        """Scheme and host of this server as the caller knows it."""
        return (self.public_base_url or str(request.base_url)).rstrip("/")


def make_url_builder(settings: Settings) -> AttachmentUrlBuilder:
    ttl = timedelta(seconds=settings.attachment_url_ttl_s)
    signer = UrlSigner(read_signing_secret(settings), ttl=ttl, clock=system_clock)
    return AttachmentUrlBuilder(signer, settings.public_base_url)


def _cut_origin(url: str) -> str:
    """Path and query, byte for byte: a URL parser would normalise what the signature covers."""
    rest = url.partition("://")[2]
    return rest[rest.find("/") :] if "/" in rest else ""
