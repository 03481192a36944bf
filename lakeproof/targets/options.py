"""Options that commands on stores and services share."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Final, cast

import click

from lakeproof.outputs import check_writable


class Seconds(click.FloatRange):
    """A time that is more than nothing. NaN, which compares with nothing, is no time."""

    def __init__(self) -> None:
        super().__init__(0, min_open=True)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = super().convert(cast("float", value), param, ctx)
        if math.isnan(seconds):
            self.fail(f"{value} is no time; expected a number of seconds", param, ctx)
        return float(seconds)


seconds_option: Final = click.option(
    "--seconds",
    "duration",
    type=Seconds(),
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
    type=Seconds(),
    default=10.0,
    show_default=True,
    metavar="S",
    help="Of an answer; what takes longer is unknown.",
)


json_option: Final = click.option("--json", "as_json", is_flag=True, help="One JSON object, for programs.")


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
        help="Where a violation goes.",
    )
