"""Our online hard delete: what each call answers, its effects on both stores, and what it leaves, in each reading.

The steps are those of docs/online-hard-delete.md. How a row is read: `lakeproof.scenarios._stated`.
"""

from typing import Final

from lakeproof.impl.catalog import objects as catalog
from lakeproof.impl.catalog.objects import Grant
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import _journal as journal
from lakeproof.impl.hard_delete import online
from lakeproof.impl.hard_delete._reaping import CAUTIONS
from lakeproof.impl.hard_delete.online import Reading
from lakeproof.impl.refs.branches import get_branch
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.records import Repository
from lakeproof.scenario import Call
from lakeproof.scenarios._branch_data import BRANCH, MAIN, REPOSITORY, X, Y
from lakeproof.scenarios._hard_delete import OUTSIDE
from lakeproof.scenarios._stated_objects import NAMESPACE, words_of

HOUR: Final = 3_600_000_000
TOKEN: Final = StagingToken("r-b:u.b2.0")
HOME: Final = Grant(f"{NAMESPACE}/data/{TOKEN}/a1", "a1")
NO_HOME: Final = Grant(f"{NAMESPACE}/data/a1")


async def put_home(env: Env, repository: Repository) -> None:
    """What a user does with the first address that was issued under the first token of b."""
    await env.objects.put(HOME.address, b"1")


async def promise(env: Env, repository: Repository, commit: str) -> None:
    """A commit that did not come true would take the first token of b."""
    await journal.promise(env, repository, TOKEN, CommitID(commit))


async def promise_head(env: Env, repository: Repository) -> None:
    """What was the head of b would take its first token."""
    head = (await get_branch(env, repository, BRANCH)).commit_id
    await journal.promise(env, repository, TOKEN, head)


async def settle(env: Env, repository: Repository) -> None:
    """A client was told that the entry of a1 was not staged, although it was."""
    await journal.settle(env, repository, TOKEN, "a1", X)


async def forget(env: Env, repository: Repository) -> None:
    """Another job has dealt with the address a1."""
    await journal.forget(env, repository, TOKEN, "a1")


def blind(caution: str) -> Reading:
    """A job that does not take care of this."""
    return Reading(lifetime=0, cautions=tuple(each for each in CAUTIONS if each != caution))


ONLINE: Final = {
    **words_of(
        online.FLOWS,
        untimed=online.UNTIMED,
        skewed=Reading(skew=60_000_000),
        full=Reading(copies="in full"),
        insists=Reading(insists=True),
        no_head=blind("head after branch"),
        no_promise=blind("promises before address"),
        no_staged=blind("staged before branch"),
    ),
    "put_home": Call(put_home, REPOSITORY),
    "promise": Call(promise, REPOSITORY, "0"),
    "promise_head": Call(promise_head, REPOSITORY),
    "settle": Call(settle, REPOSITORY),
    "forget": Call(forget, REPOSITORY),
    "today": Call(catalog.upload_object, REPOSITORY, BRANCH, X, b"today"),
    "copy_c": Call(online.copy_object, REPOSITORY, "c", Y, BRANCH, X),
    "merge": Call(online.merge, REPOSITORY, MAIN, BRANCH, "merged"),
    "up_c": Call(online.upload_object, REPOSITORY, "c", X, b"1"),
    "link_home": Call(online.link_physical_address, REPOSITORY, BRANCH, X, HOME, b"1"),
    "link_path": Call(online.link_physical_address, REPOSITORY, BRANCH, Y, HOME, b"1"),
    "link_main": Call(online.link_physical_address, REPOSITORY, MAIN, X, HOME, b"1"),
    "link_ext": Call(online.link_physical_address, REPOSITORY, "ext", X, Grant(OUTSIDE), b"o"),
    "link_no_home": Call(online.link_physical_address, REPOSITORY, BRANCH, X, NO_HOME, b"1"),
    "stage_known": Call(
        online.stage_known, REPOSITORY, BRANCH, catalog.change(X, catalog.entry_at(REPOSITORY, "o", b"o"))
    ),
    "delete_branch_paged": Call(online.delete_branch, REPOSITORY, BRANCH, batch_size=1),
    "job_untimed_paged": Call(online.background_job, REPOSITORY, reading=online.UNTIMED, batch_size=1),
}
