"""Options that commands on stores and services share."""

import random
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Final

import click

from lakeproof.commands.options import seconds_option
from lakeproof.live.engine import SEED_END
from lakeproof.show.pages.runs import html_option
from lakeproof.verify.outputs import check_writable
from lakeproof.words import Unusable

json_option: Final = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


def _seed(ctx: click.Context, param: click.Parameter, seed: int | None) -> int:
    return random.randrange(SEED_END) if seed is None else seed  # printed, so that a run can be repeated


def _writable(ctx: click.Context, param: click.Parameter, folder: Path) -> Path:
    # At the beginning: the evidence of a violation must not be lost at the end.
    check_writable(folder)
    return folder


def traffic_options(folder: str, clients: int, least: int) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The options of a run with real clients. folder: for a violation. clients: by default; least: so many at least."""
    options = (
        click.option(
            "--clients",
            type=click.IntRange(least),
            default=clients,
            show_default=True,
            metavar="N",
            help="Number of concurrent clients.",
        ),
        seconds_option(
            *("--seconds", "duration"),
            default=30.0,
            help_="Duration of traffic, without judging. A run ends at the first violation.",
        ),
        click.option(
            "--seed",
            type=click.IntRange(0),
            callback=_seed,
            help="Seed of what clients do; the interleaving still varies. Default: random.",
        ),
        json_option,
        html_option,
        click.option(
            "--out",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path(folder),
            show_default=True,
            metavar="DIR",
            callback=_writable,
            help="Write the evidence of a violation to this folder.",
        ),
        seconds_option("--timeout", default=10.0, help_="Timeout of one request; its outcome is then unknown."),
    )

    def decorated(command: click.decorators.FC) -> click.decorators.FC:
        # Decorators apply from the last to the first, and --help lists them in the order of writing.
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def words_of(text: str | None) -> tuple[str, ...]:
    """The words of a list with commas."""
    return tuple(filter(None, (each.strip() for each in (text or "").split(","))))


def chosen_of(option: str, text: str, what: str, known: Collection[str]) -> tuple[str, ...]:
    """The words of an option, which are some of these. Raises Unusable."""
    for word in (found := words_of(text)):
        if word not in known:
            raise Unusable(f"{option} {word}: no such {what}; expected some of {', '.join(known)}")
    return found
