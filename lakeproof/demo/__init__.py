"""The command ``demo``: hundreds of clients on one branch, live, under the invariants of the search."""

import click

from lakeproof.commands.group import AS_EXPECTED, INCONCLUSIVE, VIOLATED
from lakeproof.commands.options import Seconds
from lakeproof.demo.clients import VARIANTS, Settings
from lakeproof.demo.view import json_lines, show, summary


@click.command()
@click.option(
    "--writers",
    type=click.IntRange(1),
    default=300,
    show_default=True,
    metavar="N",
    help="Number of writers; one in five deletes.",
)
@click.option(
    "--readers",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="Number of readers; one in ten lists.",
)
@click.option(
    "--committers",
    type=click.IntRange(0),
    default=2,
    show_default=True,
    metavar="N",
    help="Number of committers; 0 disables commits.",
)
@click.option("--seconds", type=Seconds, default=10.0, show_default=True, metavar="S", help="Duration.")
@click.option(
    "--variant", type=click.Choice(VARIANTS), default="lock-free", show_default=True, help="Variant of commit."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of paths, pauses and delays.")
@click.option("--single-read", is_flag=True, help="Omit the second read of the branch; acknowledged entries get lost.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
def demo(
    writers: int,
    readers: int,
    committers: int,
    seconds: float,
    variant: str,
    seed: int,
    single_read: bool,
    as_json: bool,
) -> int:
    """Run hundreds of concurrent clients on a branch, live, and check the invariants.

    Everything is in memory, each operation takes a random few hundred microseconds. The first commit is a long one;
    then short commits follow. About once a second all clients pause, and the invariants of verify check the stores.
    Exit code 1 if one is violated. Ctrl-C ends the demo with the results so far.
    """
    if single_read and variant == "locked":
        raise click.UsageError("--single-read --variant locked: a locked writer reads once anyway; leave one out")
    settings = Settings(
        writers=writers,
        readers=readers,
        committers=committers,
        seconds=seconds,
        variant=variant,
        seed=seed,
        single_read=single_read,
    )
    done = show(settings)
    if as_json:
        for line in json_lines(done):
            click.echo(line)
    else:
        summary(done)
    tallies = done.judge.tallies.values()
    if any(tally.unexpected for tally in tallies):
        return VIOLATED
    if done.interrupted:
        raise click.Abort
    return INCONCLUSIVE if any(tally.verdict == "inconclusive" for tally in tallies) else AS_EXPECTED
