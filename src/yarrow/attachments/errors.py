"""Errors of uploads and signed URLs."""

from yarrow.errors import Forbidden, InvalidInput, NotFound, TooLarge


class AttachmentTooLarge(TooLarge):
    """The uploaded file exceeds the limit of attachments."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"an attachment may have at most {limit} bytes", limit=limit)


class AttachmentEmpty(InvalidInput):
    """The uploaded file has no bytes."""

    def __init__(self) -> None:
        super().__init__("the file is empty", field="file")


class AttachmentNotImage(InvalidInput):
    """The bytes are no supported image, whatever the file's name and declared type are."""

    def __init__(self, known: str) -> None:
        super().__init__(f"the file must be a picture: {known}", field="file")


class BucketInvalid(InvalidInput):
    """The request names a bucket other than the one attachments are in."""

    def __init__(self, bucket: str) -> None:
        super().__init__(f"bucket must be {bucket}", field="bucket")


class PathOutOfScope(Forbidden):
    """The path is not that of a file in the caller's folder."""

    def __init__(self, scope: str) -> None:
        super().__init__(f"path must be a file in {scope}")
        self.scope = scope


class SignedUrlInvalid(Forbidden):
    """The signed URL has expired or was changed."""


class AttachmentNotFound(NotFound):
    """The file was deleted because no message refers to it."""

    def __init__(self) -> None:
        super().__init__("this attachment no longer exists; upload it again")


class SignedUrlImpossible(NotFound):
    """There is no attachment at the path to sign."""

    def __init__(self) -> None:
        super().__init__("there is no attachment at this path")
