"""The command ``conform``: does a store keep the contract, claim by claim."""

import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import click
import trio

from impl.stores import Store
from impl.stores.conformance import NotConforming, claims, named, told
from lakeproof.commands import AS_EXPECTED, VIOLATED
from lakeproof.report.style import plural
from lakeproof.targets import Private, target


@click.command("conform")
@click.argument("dsn")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random operations.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=10.0, show_default=True, metavar="S", help="Of exec:."
)
def command(dsn: str, seed: int, timeout: float) -> int:
    """Check that a store keeps the contract of a key-value store, claim by claim.

    DSN is memory:, sqlite:///FILE, postgresql://..., redis://..., or exec:COMMAND: see docs/targets.md. Each claim has
    fresh partitions of its own, which are emptied again; what else is in the store is left alone. Exit code 1 if a
    claim does not hold.
    """
    chosen = target(dsn, seconds=timeout)
    failed = trio.run(_conform, chosen.open, seed, click.echo)
    count = len(claims())
    if failed:
        click.echo(f"NOT conforming: {failed} of {plural(count, 'claim')} not kept by {chosen.name}")
        return VIOLATED
    click.echo(f"conforming: {plural(count, 'claim')} kept by {chosen.name}")
    return AS_EXPECTED


async def _conform(
    open_: Callable[[], AbstractAsyncContextManager[Store]], seed: int, say: Callable[[str], None]
) -> int:
    """How many claims are not kept."""
    failed = 0
    async with open_() as store:
        for claim in claims(seed):
            private = Private(store, f"lakeproof-conform-{secrets.token_hex(8)}/".encode())
            try:
                with named(claim):
                    await claim(private)
            except NotConforming as error:
                failed += 1
                say(f"NOT kept: {error}")
            else:
                say(f"kept: {told(claim)}")
            left = await private.clear()
            if left:
                say(
                    f"  left behind: {plural(len(left), 'key')} in partitions that begin with {private.prefix.decode()}"
                )
    return failed
