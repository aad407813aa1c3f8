"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from pydantic import ValidationError

from yarrow.errors import Misconfigured
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
    try:
        settings = Settings()
    except ValidationError as invalid:
        first = invalid.errors(include_input=False, include_url=False)[0]
        name = "YARROW_" + "_".join(str(part) for part in first["loc"]).upper()
        raise Misconfigured(f"{name}: {first['msg']}") from None
    return settings if data_dir is None else settings.model_copy(update={"data_dir": data_dir})
