"""The database in use: an outside one by its DSN, or ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from yarrow.db.embedded import EmbeddedPostgres
from yarrow.settings import Settings


@contextmanager
def running_database(settings: Settings) -> Iterator[str]:
    """The DSN to use; an embedded server runs at least for as long as the block lasts."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    with EmbeddedPostgres(settings.data_dir) as embedded:
        yield embedded.start()
