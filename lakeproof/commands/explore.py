"""The command ``explore``: a page that walks through the states of a scenario, live."""

import contextlib
import sys
from pathlib import Path
from typing import Final

import click

from lakeproof.commands.options import from_option, seconds_option
from lakeproof.commands.runs import choose_from
from lakeproof.words import AS_EXPECTED, first_of

DEMO: Final = "repositories/step1/delete-delete-create"
"""Small enough to be walked, and refuted by a schedule of a few steps."""


@click.command("explore")
@click.argument("name", metavar="[SCENARIO]", default="")
@from_option
@click.option("--demo", is_flag=True, help=f"With a guided tour; of {DEMO} unless another SCENARIO is named.")
@click.option("--path", default="", metavar="MOVES", help="Open at the end of these moves, such as a,b,a.crash.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port on loopback. [default: any that is free]")
@seconds_option("--max-seconds", default=20.0, help_="Stop a search for violations after S seconds.")
def command(name: str, file: Path | None, demo: bool, path: str, port: int, max_seconds: float) -> int:
    """Walk through the states of a scenario in a browser: choose each step, see which invariants hold.

    SCENARIO is a name, or a part of one that no other has. Prints an address of this machine, with a token that no
    other user knows, and serves it until Ctrl-C. Faults are steps like others, as long as their budget lasts.
    """
    import trio

    from lakeproof.show.pages.explorer import Explorer
    from lakeproof.show.pages.server import serve
    from lakeproof.show.pages.walk import NoSuchMove
    from lakeproof.verify.loader import LoadError

    if not name and (file or not demo):
        raise click.UsageError("name a SCENARIO, or say --demo; `lakeproof scenarios` lists them")
    # Kept, for the address goes to the real stdout, where a script may read it.
    out = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):  # what a user's file prints is not ours to say
        source, (scenario, *more) = choose_from([name or DEMO], file)
        if more:
            some = ", ".join(each.name for each in (scenario, *more[:2])) + (", ..." if more[2:] else "")
            raise LoadError(f"{name!r} names {1 + len(more)} scenarios: {some}; name one")
        explorer = Explorer(scenario, source, max_seconds)
        if demo:
            explorer.lead()
        try:
            explorer.state(path)  # what cannot be walked is an error here, not in the page
        except NoSuchMove as error:
            raise click.UsageError(f"--path {path}: {error}") from error

        def tell(address: str) -> None:
            at = f"{address}#{path}" if path else address  # behind #, which a browser does not send
            click.echo(f"{scenario.name}: open {at} in a browser; Ctrl-C ends it", file=out)

        try:
            trio.run(serve, explorer, port, tell)
        # What `tell` raises within a nursery: an output that is closed is no matter of the port.
        except BaseExceptionGroup as group:
            raise first_of(group, (OSError,)) from None
        click.echo("ended", err=True)
    return AS_EXPECTED
