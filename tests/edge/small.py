"""Small scenarios that are searched in this process, and what comes of them."""

from collections.abc import Callable, Iterable

from lakeproof import Always, Call, Env, Reached, Reads, Scenario
from lakeproof.model.invariants import Finding, Invariant, Violation
from lakeproof.model.snapshot import Snapshot
from lakeproof.scenario import Flow
from lakeproof.search.replay import record
from lakeproof.search.results import Options
from lakeproof.search.search import search
from tests.differential.plain import plain_search
from tests.search.agreement import verdicts

P, K = b"p", b"k"
Test = Callable[[Snapshot], object]


async def touch(env: Env) -> None:
    await env.store.set(P, K, b"1")


async def touch_and_delete(env: Env) -> None:
    await env.store.set(P, K, b"1")
    await env.store.delete(P, K)


def finds(wrong: bool) -> list[Finding]:
    return [Violation("x", "wrong") if wrong else Reached("right")]


def always(wrong: Test, name: str = "x", reads: frozenset[Reads] = frozenset({Reads.STORE})) -> Always:
    return Always(id=name, meaning="", check=lambda seen: finds(bool(wrong(seen))), reads=reads)


def scenario(invariants: Iterable[Invariant], *clients: Flow, **fields: object) -> Scenario:
    calls = [[Call(flow)] for flow in clients or (touch,)]
    return Scenario(name="s", clients=calls, invariants=list(invariants), **fields)  # type: ignore[arg-type]


def agreed(of: Scenario) -> dict[str, str]:
    """The verdicts of the search. Merged, it has the same; so has the plain search; and each counterexample can be made
    again."""
    result = search(of)
    assert verdicts(result) == verdicts(search(of, options=Options(merge=True)))
    assert verdicts(result).items() <= plain_search(of).verdicts.items()
    for finding in result.findings:
        if finding.counterexample is not None:
            record(of, finding.id, finding.counterexample.moves, version="test")
    return verdicts(result)
