"""The jobs, each guarded: see `lakeproof.impl.world.guards`. And restores, which the jobs must know from a void."""

from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import offline, online
from lakeproof.impl.refs import dump
from lakeproof.impl.refs.dump import RefsDump
from lakeproof.impl.retention import pins
from lakeproof.impl.world import sentences
from lakeproof.impl.world.guards import asking_first, check_restored
from lakeproof.impl.world.reading import COMPOSED, Reading
from lakeproof.model.records import Repository
from lakeproof.model.retention import Rules


def _env(env: Env, repository: Repository, reading: Reading) -> Env:
    return asking_first(env, repository) if reading.jobs == "of the living" else env


def _run(repository: Repository, run_id: str, reading: Reading) -> str:
    """The name of a run: marks of all instances of an id are in one namespace."""
    # Without the instance, a run of the next repository could sweep by the mark of the dead one.
    return f"{repository.instance_uid}/{run_id}" if reading.jobs == "of the living" else run_id


async def _check(env: Env, repository: Repository, reading: Reading) -> None:
    if reading.unrestored == "refused":
        await check_restored(env, repository)


async def reap(
    env: Env, repository: Repository, *, reading: Reading = COMPOSED, batch_size: int = 0
) -> tuple[str, ...]:
    """`online.background_job`. Raises RepositoryGone, too (indefinite)."""
    return await online.background_job(_env(env, repository, reading), repository, batch_size=batch_size)


async def collect(
    env: Env, repository: Repository, *, reading: Reading = COMPOSED, how: offline.Reading = offline.AS_WRITTEN,
    batch_size: int = 0
) -> tuple[str, ...]:
    """`offline.background_job`. Raises NotRestored, and RepositoryGone (indefinite), too."""
    await _check(env, repository, reading)
    return await offline.background_job(
        _env(env, repository, reading), repository, reading=how, batch_size=batch_size
    )


async def mark(
    env: Env, repository: Repository, rules: Rules, run_id: str, *, reading: Reading = COMPOSED, batch_size: int = 0
) -> tuple[str, ...]:
    """`pins.mark`. Raises NotRestored, too."""
    await _check(env, repository, reading)
    return await pins.mark(env, repository, rules, _run(repository, run_id, reading), batch_size=batch_size)


async def sweep(
    env: Env, repository: Repository, run_id: str, *, reading: Reading = COMPOSED, batch_size: int = 0
) -> tuple[str, ...]:
    """`pins.FLOWS.sweep`; what the run has condemned is published first. Raises RepositoryGone, too (indefinite)."""
    there, run = _env(env, repository, reading), _run(repository, run_id, reading)
    # Before the first delete: a dump of the repository may bring the commits back at any time.
    if reading.sentences == "outlive it":
        await sentences.publish(env, repository, run, batch_size)
    # Through ``there``, which asks before each delete.
    found: tuple[str, ...] = await pins.FLOWS.sweep(there, repository, run, batch_size=batch_size)
    return found


async def restore_refs(env: Env, repository: Repository, given: RefsDump, *, reading: Reading = COMPOSED) -> None:
    """`dump.restore_refs`; what was condemned before comes first, the default branch last.

    Raises:
        Condemned: a branch or tag of the dump names a commit whose objects may be gone; nothing was restored.
        And as `dump.restore_refs`.
    """
    # Before a commit is written: a user of it must find the sentence.
    if reading.sentences == "outlive it":
        await sentences.take_over(env, repository, given)
    await dump.restore_refs(env, repository, given, last=reading.restored_last)
