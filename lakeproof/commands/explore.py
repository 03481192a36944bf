"""The command ``explore``: a page that walks through the states of a scenario, live."""

import contextlib
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, TextIO

import click

from lakeproof.commands.options import from_option, seconds_option
from lakeproof.words import AS_EXPECTED

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario
    from lakeproof.show.pages.explorer import Explorer
    from lakeproof.verify.loader import Source


DEMO: Final = "repositories/step1/delete-delete-create"
"""Small enough to be walked, and refuted by a schedule of a few steps."""


class Tell(Protocol):
    """Says where a scenario of this name is served."""

    def __call__(self, address: str, *, name: str) -> None: ...


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
    from lakeproof.show.pages.explorer import Explorer
    from lakeproof.verify.loader import Source

    if not name and (file or not demo):
        raise click.UsageError("name a SCENARIO, or say --demo; `lakeproof scenarios` lists them")
    out, source = sys.stdout, Source(file)
    with contextlib.redirect_stdout(sys.stderr):  # what a user's file prints is not ours to say
        explorer = Explorer(_one(source, name or DEMO), source, max_seconds)
        if demo:
            explorer.lead()
        _walk(explorer, path, port, partial(_tell, path=path, out=out))
        click.echo("ended", err=True)
    return AS_EXPECTED


def _tell(address: str, *, name: str, path: str, out: TextIO) -> None:
    click.echo(f"{name}: open {address}{f'#{path}' if path else ''} in a browser; Ctrl-C ends it", file=out)


@contextlib.contextmanager
def _free(port: int) -> Iterator[None]:
    """Raises Unusable: nothing can listen on the port."""
    from lakeproof.show.pages.server import HOST
    from lakeproof.words import Unusable

    try:
        yield
    except OSError as error:
        raise Unusable(f"--port {port}: {HOST}: {error.strerror or error}; choose another port") from error


def _walk(explorer: "Explorer", path: str, port: int, tell: Tell) -> None:
    """Serve a scenario."""
    import trio

    from lakeproof.show.pages.server import serve
    from lakeproof.show.pages.walk import NoSuchMove

    try:
        explorer.state(path)  # what cannot be walked is an error here, not in the page
    except NoSuchMove as error:
        raise click.UsageError(f"--path {path}: {error}") from error
    with _free(port):
        trio.run(serve, explorer, port, partial(tell, name=explorer.scenario.name))


def _one(source: "Source", name: str) -> "Scenario":
    """The scenario of a name, or of a part that no other name has.

    Raises:
        LoadError: there is none, or there are several.
    """
    from lakeproof.verify.loader import LoadError, choose

    chosen = choose(source.load([name]), [name])
    if len(chosen) > 1:
        some = ", ".join(scenario.name for scenario in chosen[:3])
        raise LoadError(f"{name!r} names {len(chosen)} scenarios: {some}{', ...' if chosen[3:] else ''}; name one")
    return chosen[0]
