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
    """Add `--data-dir`, which overrides `YARROW_DATA_DIR`."""
    return click.option(
        "--data-dir",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder of the embedded database and files.",
    )(command)


def load_settings(data_dir: Path | None) -> Settings:
    """Load the settings from the environment; `--data-dir` overrides theirs."""
    try:
        settings = Settings()
    except ValidationError as invalid:
        first = invalid.errors(include_input=False, include_url=False)[0]
        name = "YARROW_" + "_".join(str(part) for part in first["loc"]).upper()
        raise Misconfigured(f"{name}: {first['msg']}") from None
    return settings if data_dir is None else settings.model_copy(update={"data_dir": data_dir})
