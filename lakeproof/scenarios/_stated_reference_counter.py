"""Proposal 2: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of hard-delete-uncommitted-data.md, "2. Reference Counter on Object Metadata". How a row is read:
`lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl import staging
from lakeproof.impl.catalog.objects import Grant, change, put_data
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _counters as counters
from lakeproof.impl.hard_delete import reference_counter
from lakeproof.impl.hard_delete.reference_counter import Reading
from lakeproof.model.identifiers import StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, REPOSITORY, X
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

TOKEN: Final = StagingToken("r-b:u.b2.0")
A1: Final = f"{NAMESPACE}/data/a1"


async def count(env: Env, repository: Repository) -> None:
    """One more refers to the object a1."""
    await counters.increment(env, A1, "gcs", accepts="all")


async def count_off(env: Env, repository: Repository) -> None:
    """One fewer refers to the object a1."""
    await counters.decrement(env, A1, "gcs")


async def uncount(env: Env, repository: Repository) -> None:
    """The object a1 is there again, and without a counter."""
    await env.objects.put(A1, b"1")


async def zone(env: Env, repository: Repository) -> None:
    """The object a1 is there again, with metadata of a user, and without a counter."""
    await env.objects.put(A1, b"1", (("zone", "2"),))


async def restage(env: Env, repository: Repository) -> None:
    """A slow writer stages an entry under the token that b had first."""
    await staging.stage(env, TOKEN, change(X, await put_data(env, repository, b"late", counters.ONE)))


async def vanish(env: Env, repository: Repository) -> None:
    """What was staged at x under the token that b had first is gone."""
    await staging.unstage(env, TOKEN, X)


async def replace(env: Env, repository: Repository) -> None:
    """The object a1 is another one."""
    await env.objects.put(A1, b"another", counters.ONE)


COUNTER: Final = {
    **words_of(
        reference_counter.FLOWS,
        s3=reference_counter.S3,
        azure=reference_counter.AZURE,
        releases=reference_counter.RELEASES,
        exchange=Reading(overwrites="exchange"),
        follows=Reading(follows=True),
        definite=Reading(full=False, rollback="definite"),
        never=Reading(full=False, rollback="never"),
        refuses=Reading(revives=False),
        shallow=reference_counter.SHALLOW,
        carries=reference_counter.CARRIES,
        staged=reference_counter.DELETES_STAGED,
        settled=reference_counter.DELETES_SETTLED,
        first=reference_counter.COUNTER_FIRST,
        job=reference_counter.JOB,
        claims=Reading(claims=True),
        job_claims=reference_counter.JOB_CLAIMS,
        restores=Reading(counts_restored=True),
        tombstone=Reading(by_tombstone=True),
        staged_first=Reading(deletes="staged", counter_first=True),
        settled_first=Reading(deletes="settled", counter_first=True),
        careful=reference_counter.CAREFUL,
    ),
    "zone": Call(zone, REPOSITORY),
    "restage": Call(restage, REPOSITORY),
    "vanish": Call(vanish, REPOSITORY),
    "count": Call(count, REPOSITORY),
    "count_off": Call(count_off, REPOSITORY),
    "uncount": Call(uncount, REPOSITORY),
    "replace": Call(replace, REPOSITORY),
    "link_a1": Call(reference_counter.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1), b"1"),
    "link_a1@refuses": Call(
        reference_counter.link_physical_address, REPOSITORY, BRANCH, X, Grant(A1), b"1", reading=Reading(revives=False)
    ),
    "link_out": Call(reference_counter.link_physical_address, REPOSITORY, BRANCH, X, Grant(OUTSIDE), b"o"),
}
