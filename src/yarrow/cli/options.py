"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from yarrow.settings import Settings

Command = TypeVar("Command", bound=Callable[..., object])


def data_dir_option(command: Command) -> Command:
    """`--data-dir`, over `YARROW_DATA_DIR`."""
    return click.option(
        "--data-dir",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of the embedded database and files.",
    )(command)


def settings_for(data_dir: Path | None) -> Settings:
    """The environment's settings, with the folder of the command line if it names one."""
    settings = Settings()
    return settings if data_dir is None else settings.model_copy(update={"data_dir": data_dir})
