"""A migration that crashes, and two at once: the version record must mean that everything is there."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar, Final

import attrs

from lakeproof.designs.designs import Design, Word, rows
from lakeproof.designs.races import FAULTS, NONE, REFUSED, Race, Refuted
from lakeproof.impl.migration.migration import METADATA, VERSION, VERSION_KEY, migrate
from lakeproof.impl.migration.rows import NO_INSTANCE, MemoryTables, Row
from lakeproof.model import keys
from lakeproof.model.identifiers import BranchID, CommitID, MetaRangeID, RepositoryID, StagingToken, StorageNamespace
from lakeproof.model.invariants import STORE_AND_CLIENTS, Finding, Invariant, Reached, Violation, always
from lakeproof.model.records import Branch, Commit, Repository, StagedEntry
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from lakeproof.scenario import Aftermath, Call

_MAIN, _C = BranchID("main"), CommitID("c")
TABLE_ROWS: Final = (
    Row(
        "",
        Repository(
            repository_id=RepositoryID("r"),
            storage_namespace=StorageNamespace("mem://r"),
            default_branch_id=_MAIN,
            creation_date=1,
            instance_uid=NO_INSTANCE,
        ),
    ),
    Row("r", Commit(commit_id=_C, committer="", message="", creation_date=1, meta_range_id=MetaRangeID(""))),
    Row("r", Branch(branch_id=_MAIN, commit_id=_C, staging_token=StagingToken("t"))),
    Row("t", StagedEntry(key=b"x", identity=b"i", data=b"d")),
)
TABLES: Final = MemoryTables(TABLE_ROWS)


def _missing(snapshot: Snapshot) -> str:
    """What a complete migration of the rows has and this store lacks; empty if nothing."""
    entry = snapshot.store.get((keys.GRAVELER, b"repos/r"))
    if not isinstance(entry, Repository):
        return "the repository"
    # What a run that was taken over has written lies in the partition of another instance, and does not count.
    partition = keys.repository_partition(entry.repository_id, entry.instance_uid)
    places = {
        "the branch": ((partition, b"branches/main"), Branch),
        "the commit": ((partition, b"commits/c"), Commit),
    }
    lost = [what for what, (where, kind) in places.items() if not isinstance(snapshot.store.get(where), kind)]
    if (b"t", b"x") not in snapshot.store:  # as lakeFS has it, which is no key of the designs
        lost.append("the staged entry")
    return ", ".join(lost)


@always(
    "a store with a schema version, and one of which a run has ended, has it and every row", reads=STORE_AND_CLIENTS
)
def version_means_complete(snapshot: Snapshot) -> Iterator[Finding]:
    declared = snapshot.store.get((METADATA, VERSION_KEY)) == VERSION
    # Users may be at work since: a restart that comes late must not clear the store.
    if not declared and all(call.status is not Status.OK for call in snapshot.calls()):
        return
    missing = _missing(snapshot) if declared else "its version"
    if missing:
        yield Violation("version-means-complete", f"the store has been declared valid and lacks {missing}")
    else:
        yield Reached("the store has its version, and everything is there")


def _restartable(outcomes: tuple[Outcome, ...], snapshot: Snapshot) -> list[Finding]:
    last = outcomes[-1]
    fine = last.status is Status.OK or type(last.error).__name__ == "AlreadyMigrated"
    if fine and not _missing(snapshot):
        return [Reached("a restart completes the migration, or finds it complete")]
    return [Violation("migration-is-restartable", f"a restart ends in {last.error!r}; missing: {_missing(snapshot)}")]


RESTARTABLE: Final = Aftermath(
    id="migration-is-restartable",
    meaning="whatever crashed or failed before, a restart from scratch completes the migration",
    calls=[Call(migrate, TABLES, restart=True)],
    check=_restartable,
)

WORDS: Final[Mapping[str, Word[None]]] = {
    # One flow under two ops: the design gives each its own ``restart``.
    "migrate": Word(lambda _: migrate, TABLES),
    "restart": Word(lambda _: migrate, TABLES),
}


@attrs.frozen(kw_only=True)
class MigrationDesign(Design[None]):
    """A migration that starts, and others that take it over."""

    flows: None = None

    vocabulary: ClassVar = WORDS

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [version_means_complete]

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        return [RESTARTABLE]


BY_VERSION: Final = MigrationDesign(
    name="migrations/by-version",
    source="graveler-on-kv.md, Execution Plan",
    options={"migrate": {"restart": False}, "restart": {"restart": True}},
    refuted={
        "version-means-complete": Refuted(
            "a run that was taken over, alive after all, clears away what the winner wrote: nothing is deleted "
            "conditionally",
            "migrate-restart-restart",
        )
    },
)

ROWS = [
    *rows(BY_VERSION, "migrate", FAULTS | REFUSED, name="alone"),
    *rows(BY_VERSION, "migrate-migrate migrate-restart", FAULTS | REFUSED),
    *rows(BY_VERSION, "migrate-restart-restart", NONE, only="version-means-complete", deep=True),
]
