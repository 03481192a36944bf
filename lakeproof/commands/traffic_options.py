"""Options that commands on stores and services share."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from lakeproof.commands.options import Seconds
from lakeproof.verify.outputs import check_writable

seconds_option: Final = click.option(
    "--seconds",
    "duration",
    type=Seconds,
    default=30.0,
    show_default=True,
    metavar="S",
    help="Duration of traffic, without judging. A run ends at the first violation.",
)
seed_option: Final = click.option(
    "--seed", type=click.IntRange(0), help="Seed of what clients do; the interleaving still varies. Default: random."
)
timeout_option: Final = click.option(
    "--timeout",
    type=Seconds,
    default=10.0,
    show_default=True,
    metavar="S",
    help="Timeout of one request; its outcome is then unknown.",
)


json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def _writable(ctx: click.Context, param: click.Parameter, folder: Path) -> Path:
    check_writable(folder)
    return folder


def out_option(folder: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Where a violation is written."""
    return click.option(
        "--out",
        type=click.Path(path_type=Path, file_okay=False),
        default=Path(folder),
        show_default=True,
        metavar="DIR",
        callback=_writable,
        help="Write the evidence of a violation to this folder.",
    )
