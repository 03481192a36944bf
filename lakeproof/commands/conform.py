"""The command ``conform``: does a store keep the contract, claim by claim."""

import importlib
import json
import secrets
from collections.abc import Callable, Sequence
from typing import Final

import attrs
import click
import trio

from lakeproof.commands.options import seconds_option
from lakeproof.commands.traffic_options import json_option
from lakeproof.impl.stores.conformance import LeftOut, NotConforming, NotJudged, claim_text, claims, name_claim
from lakeproof.stores import PrefixedStore, Target, target
from lakeproof.stores.child import ChildStore
from lakeproof.stores.redaction import hide_secrets
from lakeproof.stores.wrappers import answers
from lakeproof.words import AS_EXPECTED, INCONCLUSIVE, VIOLATED, Unusable, plural


@attrs.frozen
class ClaimResult:
    """A claim in words, whether it is kept (None: not judged), why not, and the keys that could not be deleted
    afterwards."""

    claim: str
    kept: bool | None
    why: str
    left: int
    prefix: bytes
    where: str = "partitions"

    def lines(self) -> str:
        line = f"{_WORDS[self.kept]}: {self.why or self.claim}"
        return f"{line}\n  {_describe_left(self.left, self.prefix, self.where)}" if self.left else line


def _describe_left(count: int, prefix: bytes, where: str = "partitions") -> str:
    return f"left behind: {plural(count, 'key')} in {where} that begin with {prefix.decode()}"


@click.command("conform")
@click.argument("dsn")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random operations.")
@json_option
@seconds_option("--timeout", default=10.0, help_="Timeout of one operation; its outcome is then unknown.")
def command(dsn: str, seed: int, as_json: bool, timeout: float) -> int:
    """Check each claim of the contract of a key-value store, or of an object store that speaks S3.

    DSN is memory:, sqlite:///FILE, postgresql://..., redis://..., dynamodb+http://..., exec:COMMAND, or
    s3+http://KEY:SECRET@HOST:PORT/BUCKET: see docs/targets.md. Each claim uses fresh partitions, or keys under a fresh
    prefix, which are emptied afterwards. Nothing else in the store is changed. Exit code 1 if a claim does not hold, 3
    if one could not be judged.
    """
    # Each claim is printed as it is judged: a store that hangs has shown by then what it does.
    say = _print_nothing if as_json else lambda one: click.echo(one.lines())
    if dsn.startswith("s3+"):
        name, (judged, unasked) = hide_secrets(dsn), _conform_s3(dsn, timeout, say)
    else:
        chosen = target(dsn, seconds=timeout)
        name, (judged, unasked) = chosen.name, trio.run(_conform, chosen, seed, timeout, say)
    kept, failed, open_ = (sum(one.kept is kind for one in judged) for kind in (True, False, None))
    if as_json:
        click.echo(json.dumps(_object(name, seed, judged, unasked)))
    count = plural(len(judged), "claim")
    closing = f"conforming: {count} kept"
    if failed:
        closing = f"NOT conforming: {failed} of {count} not kept"
    elif open_:
        closing = f"INCONCLUSIVE: {kept} of {count} kept"
    closing += f" by {name}"
    if open_:
        closing += f"; {plural(open_, 'claim')} not judged"
    if unasked:
        closing += f"; it does not answer any more, and {plural(len(unasked), 'claim')} could not be judged"
    click.echo(closing, err=as_json)
    # A claim that is not kept stands, whatever could not be judged.
    return VIOLATED if failed else INCONCLUSIVE if open_ or unasked else AS_EXPECTED


def _name_left(count: int, prefix: bytes, where: str = "partitions") -> None:
    if count:
        click.echo(_describe_left(count, prefix, where), err=True)


def _print_nothing(one: ClaimResult) -> None:
    """One object is printed after all claims."""


# In order of weight: `_object` takes the first one that any claim has.
_VERDICTS: Final = {False: "violated", None: "inconclusive", True: "holds"}
_WORDS: Final = {False: "NOT kept", None: "not judged", True: "kept"}
_KEPT: Final[tuple[bool | None, str]] = (True, "")


def _outcome(error: NotConforming | NotJudged) -> tuple[bool | None, str]:
    return (False if isinstance(error, NotConforming) else None), str(error)


def _object(store: str, seed: int, judged: Sequence[ClaimResult], unasked: Sequence[str]) -> dict[str, object]:
    return {
        "store": store,
        "seed": seed,
        "verdict": next(verdict for kept, verdict in _VERDICTS.items() if any(one.kept is kept for one in judged)),
        "claims": [{"claim": one.claim, "kept": one.kept, "why": one.why} for one in judged],
        "unasked": list(unasked),
        "left": {one.prefix.decode(): one.left for one in judged if one.left},
    }


def _conform_s3(dsn: str, most: float, say: Callable[[ClaimResult], None]) -> tuple[list[ClaimResult], list[str]]:
    """What came of each claim; and in words those that are left, where no answer comes any more."""
    try:
        bucket, s3_claims = (importlib.import_module(f"lakeproof.stores.s3_{name}") for name in ("bucket", "claims"))
    except ImportError:
        raise Unusable(f"{hide_secrets(dsn)}: boto3 is not installed; pip install 'lakeproof[sweep]'") from None
    opened = bucket.open_bucket(dsn, most)
    judged = list[ClaimResult]()
    for number, claim in enumerate(s3_claims.CLAIMS, 1):
        # A prefix for each claim, so that no claim depends on what another one has left.
        private = opened(f"lakeproof-conform-{secrets.token_hex(8)}/")
        kept, why = _KEPT
        try:
            s3_claims.check_claim(claim, private)
        except (NotConforming, NotJudged) as error:
            kept, why = _outcome(error)
        except BaseException:  # such as Ctrl-C
            _name_left(private.clear(), private.prefix.encode(), "keys")
            raise
        judged.append(ClaimResult(claim_text(claim), kept, why, private.clear(), private.prefix.encode(), "keys"))
        say(judged[-1])
        # The other claims would each wait for a timeout, and end in the same way.
        if kept is None and not private.answers():
            return judged, [claim_text(each) for each in s3_claims.CLAIMS[number:]]
    return judged, []


async def _conform(
    chosen: Target, seed: int, most: float, say: Callable[[ClaimResult], None]
) -> tuple[list[ClaimResult], list[str]]:
    """The same. Raises Unusable as soon as a program says what is no answer at all: it speaks another protocol."""
    judged, all_claims = list[ClaimResult](), (*claims(seed), *chosen.claims)
    async with chosen.open() as store:
        for number, claim in enumerate(all_claims, 1):
            private = PrefixedStore(store, f"lakeproof-conform-{secrets.token_hex(8)}/".encode(), most)
            kept, why = _KEPT
            try:
                with name_claim(claim):
                    await claim(private)
            except LeftOut:
                continue
            except (NotConforming, NotJudged) as error:
                kept, why = _outcome(error)
            except BaseException:  # such as Ctrl-C
                with trio.CancelScope(shield=True):  # each delete has its timeout, and the third in vain is the last
                    _name_left(len(await private.clear()), private.prefix)
                raise
            # Only after a claim that failed: one that is kept has just shown that the store answers.
            silent = not kept and not await answers(store, most)
            left = private.written if silent else len(await private.clear())  # a silent store cannot be cleared
            # A line that is no answer at all means another protocol, while a wrong answer is a verdict.
            if isinstance(store, ChildStore) and store.nonsense:
                beside = f" ({_describe_left(left, private.prefix)})" if left else ""
                raise Unusable(
                    f"{chosen.name}: does not speak the protocol exec: expected one line in answer to each request, "
                    f"got: {store.nonsense}{beside}; see docs/targets.md"
                )
            judged.append(ClaimResult(claim_text(claim), kept, why, left, private.prefix))
            say(judged[-1])
            if silent:  # every other claim would wait as long, and end as this one
                return judged, [claim_text(each) for each in all_claims[number:]]
    return judged, []
