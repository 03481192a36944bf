"""The command ``conform``: does a store keep the contract, claim by claim."""

import json
import secrets
from collections.abc import Callable, Sequence

import attrs
import click
import trio

from lakeproof.commands.group import AS_EXPECTED, VIOLATED
from lakeproof.commands.options import Seconds
from lakeproof.impl.stores import Store
from lakeproof.impl.stores.conformance import NotConforming, claims, named, told
from lakeproof.model import kv
from lakeproof.report.style import plural
from lakeproof.running.tasks import Unusable
from lakeproof.targets import Private, Target, target
from lakeproof.targets.child import ChildStore
from lakeproof.targets.options import json_option
from lakeproof.targets.redacting import Discreet


@attrs.frozen
class Judged:
    """A claim in words, why it is not kept (empty: it is), and the keys that could not be deleted afterwards."""

    claim: str
    why: str
    left: int
    prefix: bytes

    def lines(self) -> str:
        told = f"NOT kept: {self.why}" if self.why else f"kept: {self.claim}"
        return f"{told}\n  {self.left_behind}" if self.left else told

    @property
    def left_behind(self) -> str:
        return f"left behind: {plural(self.left, 'key')} in partitions that begin with {self.prefix.decode()}"


@click.command("conform", cls=Discreet)
@click.argument("dsn")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random operations.")
@json_option
@click.option(
    "--timeout", type=Seconds, default=10.0, show_default=True, metavar="S", help="Timeout for exec: targets."
)
def command(dsn: str, seed: int, as_json: bool, timeout: float) -> int:
    """Check each claim of the contract of a key-value store.

    DSN is memory:, sqlite:///FILE, postgresql://..., redis://..., or exec:COMMAND: see docs/targets.md. Each claim
    uses fresh partitions, which are emptied afterwards. Nothing else in the store is changed. Exit code 1 if a claim
    does not hold.
    """
    chosen = target(dsn, seconds=timeout)
    say = _nobody if as_json else lambda one: click.echo(one.lines())
    judged = trio.run(_conform, chosen, seed, timeout, say)
    unasked = [told(claim) for claim in claims(seed)[len(judged) :]]
    failed = sum(1 for one in judged if one.why)
    if as_json:
        click.echo(json.dumps(_object(chosen.name, seed, judged, unasked)))
    count = plural(len(judged), "claim")
    closing = f"NOT conforming: {failed} of {count} not kept" if failed else f"conforming: {count} kept"
    closing += f" by {chosen.name}"
    if unasked:
        closing += f"; it does not answer any more, and {plural(len(unasked), 'claim')} could not be judged"
    click.echo(closing, err=as_json)
    return VIOLATED if failed else AS_EXPECTED


def _nobody(one: Judged) -> None:
    """Whoever wants one object waits for all claims."""


def _object(store: str, seed: int, judged: Sequence[Judged], unasked: Sequence[str]) -> dict[str, object]:
    return {
        "store": store,
        "seed": seed,
        "verdict": "violated" if any(one.why for one in judged) else "holds",
        "claims": [{"claim": one.claim, "kept": not one.why, "why": one.why} for one in judged],
        "unasked": list(unasked),
        "left": {one.prefix.decode(): one.left for one in judged if one.left},
    }


async def _conform(chosen: Target, seed: int, most: float, say: Callable[[Judged], None]) -> list[Judged]:
    """Raises Unusable as soon as a program says what is no answer at all: it speaks another protocol."""
    judged = []
    async with chosen.open() as store:
        for claim in claims(seed):
            private, why = Private(store, f"lakeproof-conform-{secrets.token_hex(8)}/".encode()), ""
            try:
                with named(claim):
                    await claim(private)
            except NotConforming as error:
                why = str(error)
            silent = bool(why) and not await _answers(store, most)
            left = private.written if silent else len(await private.clear())
            one = Judged(told(claim), why, left, private.prefix)
            if isinstance(store, ChildStore) and store.nonsense:
                raise Unusable(
                    f"{chosen.name}: does not speak the protocol exec: expected one line in answer to each request, "
                    f"got: {store.nonsense}{f' ({one.left_behind})' if left else ''}; see docs/exec-protocol.md"
                )
            judged.append(one)
            say(judged[-1])
            if silent:
                break  # every other claim would wait as long, and end as this one
    return judged


async def _answers(store: Store, most: float) -> bool:
    """Whether there is any answer at all."""
    with trio.move_on_after(most):
        try:
            await store.perform(kv.Get(b"lakeproof", b"awake"))
        except kv.KVError as error:
            return error.definite
        return True
    return False
