"""Options that `stress` and `service` share: how long, with which seed, and how long an answer may take."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

seconds_option: Final = click.option(
    "--seconds",
    "duration",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    metavar="S",
    help="Of traffic; judging comes on top. It ends at the first violation.",
)
seed_option: Final = click.option(
    "--seed", type=click.IntRange(0), help="Of what clients do, not of who comes first. Default: any."
)
timeout_option: Final = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="S",
    help="Of an answer; what takes longer is unknown.",
)


def out_option(folder: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Where a violation is written."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(folder),
        show_default=True,
        metavar="DIR",
        help="Where a violation goes.",
    )
