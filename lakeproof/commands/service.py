"""The command ``service``: clients on a running lakeFS, and whether its answers can be right."""

from pathlib import Path

import click
import trio

from lakeproof.commands.options import seconds_option
from lakeproof.commands.traffic_options import chosen_of, traffic_options, words_of
from lakeproof.live.engine import Load, Plan, restarting
from lakeproof.live.lakefs.api import LakeFS, address
from lakeproof.live.lakefs.known_issues import CAUSES, issues_of
from lakeproof.live.lakefs.promises import IDS, IMPORTED_WHOLE
from lakeproof.live.lakefs.rounds import WAIT_SECONDS, Traffic, drive
from lakeproof.live.lakefs.workload import OF_ENTRIES, focus_kinds
from lakeproof.words import Unusable, plural


@click.command("service")
@click.argument("dsn")
@click.option(
    "--storage-namespace",
    metavar="URI",
    help="Storage namespace for the repositories of the run, such as local://lakeproof or s3://BUCKET/lakeproof.",
)
@click.option(
    "--import-from",
    default="",
    metavar="URI,...",
    help="Prefixes of the object store, outside the storage namespace, that imports read. None: no imports.",
)
@click.option("--keep", is_flag=True, help="Do not delete the repositories of the run.")
@click.option("--only", metavar="ID,...", help="Judge only these invariants.")
@click.option("--except", "spared", metavar="ID,...", help="Judge all invariants but these.")
@click.option("--keep-going", is_flag=True, help="Do not stop at the first violation.")
@click.option(
    "--known", "issues", default="", metavar="CAUSE,...", help=f"Set known causes aside: {', '.join(CAUSES)}."
)
@click.option("--focus", default="", metavar="KIND,...", help="Make these kinds of calls eight times as often.")
@click.option("--rounds", type=click.IntRange(1), metavar="N", help="End after so many rounds, if not before.")
@click.option("--restart-with", metavar="COMMAND", help="Command that restarts the server, run once in every round.")
@seconds_option("--wait", default=WAIT_SECONDS, help_="Time to wait for an unavailable service.")
@traffic_options("out/service", clients=8, least=2)
def command(
    dsn: str,
    clients: int,
    duration: float,
    seed: int,
    storage_namespace: str | None,
    import_from: str,
    keep: bool,
    only: str | None,
    spared: str | None,
    keep_going: bool,
    issues: str,
    focus: str,
    rounds: int | None,
    restart_with: str | None,
    as_json: bool,
    html: Path | None,
    out: Path,
    timeout: float,
    wait: float,
) -> int:
    """Run concurrent clients on a lakeFS server, and check its answers.

    DSN is lakefs+http://KEY:SECRET@HOST:PORT[,HOST:PORT...] or lakefs+https://...: see docs/services.md. Only fresh
    repositories are used, and deleted afterwards. Exit code 1 for a violation, with the history and its evidence in
    DIR; 3 if an invariant was never tested, or a round could not be judged.
    """
    sources = words_of(import_from)
    # All three parts are there: scheme, separator and the rest.
    if bad := next((each for each in sources if not all(each.partition("://"))), None):
        raise Unusable(f"--import-from {bad}: no address of objects; expected URI,..., as in s3://BUCKET/incoming/")
    judged = _judged_ids(only, spared, imports=bool(sources)), issues_of(issues)
    often = focus_kinds(chosen_of("--focus", focus, "kind of call", OF_ENTRIES))
    restart = restarting(restart_with) if restart_with is not None else None
    load = Load(clients=clients, seconds=duration, seed=seed, timeout=timeout)
    at = address(dsn)
    if storage_namespace is None:
        raise Unusable(f"{at.name}: say where the data may go with --storage-namespace, as in local://lakeproof")
    service = LakeFS(at, timeout=timeout, connections=clients)
    # A run of its own, before anything is created: what cannot be used ends here.
    version = trio.run(_service_version, service, at.name, 2 * timeout)
    click.echo(f"{at.name}: lakeFS {version}, seed {seed}, {plural(clients, 'client')}", err=as_json)
    traffic = Traffic(load, service, storage_namespace, keep, wait, restart, sources, often, *judged)
    report = trio.run(drive, traffic, Plan(keep_going, rounds))
    heads = {"service": at.name, "version": version, "seed": seed, "clients": clients}
    return report.publish("service", at.name, heads, out, as_json=as_json, html=html)


async def _service_version(service: LakeFS, name: str, most: float) -> str:
    """The version. A name that is looked up, or has many addresses, may take longer than an answer. Raises Unusable."""
    with trio.move_on_after(most):
        return await trio.to_thread.run_sync(service.greet, abandon_on_cancel=True)
    raise Unusable(f"{name}: cannot be reached within {most:g} s; is it running there?")


def _judged_ids(only: str | None, spared: str | None, *, imports: bool) -> tuple[str, ...]:
    """The ids to judge, in their order. Raises Unusable: there is no such id, or none is left."""
    # Without a source it would never be tested, and every run would be inconclusive.
    without = frozenset() if imports else frozenset({IMPORTED_WHOLE})
    chosen = set(IDS) - without if only is None else set(words_of(only))
    left_out = set(words_of(spared))
    if unknown := sorted((chosen | left_out) - set(IDS)):
        raise Unusable(f"{unknown[0]!r}: no such invariant; expected one of {', '.join(IDS)}")
    if chosen & without:
        raise Unusable(f"--only {IMPORTED_WHOLE}: nothing is imported; name what to import with --import-from")
    judged_ids = tuple(each for each in IDS if each in chosen - left_out)
    if not judged_ids:
        raise Unusable("--only and --except leave no invariant to judge; name fewer with --except")
    return judged_ids
