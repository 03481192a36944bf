"""The command ``scenarios``."""

from pathlib import Path

import click

from lakeproof.commands.options import from_option
from lakeproof.commands.runs import choose_from, json_option, patterns_argument


@click.command("scenarios")
@patterns_argument
@from_option
@json_option
def command(patterns: tuple[str, ...], file: Path | None, as_json: bool) -> None:
    """List scenarios with their bounds and expected violations.

    A PATTERN is a name, a glob over names, or a part of a name; without any, variants are listed.
    """
    from lakeproof.show.listing import as_json_line, families, listing
    from lakeproof.show.style import console

    _, chosen = choose_from(patterns, file)
    if as_json:
        for scenario in chosen:
            click.echo(as_json_line(scenario))
    else:
        console().print(listing(chosen) if patterns or file else families(chosen), soft_wrap=True)
