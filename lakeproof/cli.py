"""The command line. Results go to stdout, progress and errors to stderr; heavy imports wait for their command."""

import click

from lakeproof.commands.group import Commands


def _print_version(ctx: click.Context, _: click.Parameter, requested: bool) -> None:
    from lakeproof.version import version

    if requested:
        click.echo(f"lakeproof {version()}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Prove or refute metadata protocols on key-value stores by running their real code."""
