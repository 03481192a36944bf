"""A dump of refs while a client commits, tags, creates or deletes a branch."""

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import ClassVar, Final

import attrs

from lakeproof.designs.branch_designs import BRANCH, FOUNDED, REPOSITORY, X
from lakeproof.designs.designs import HOLDS, Design, Row, Word, rows
from lakeproof.designs.races import FAULTS, NONE, PAGED, SCAN_FAILURE, FaultSet, Race, Refuted
from lakeproof.impl.graveler import lock_free, writes
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.dump import NotDumpable, RefsDump, dump_refs
from lakeproof.impl.refs.dump_format import (
    MalformedDump,
    decode_manifest,
    decode_part,
    decode_refs,
    dump_address,
)
from lakeproof.model.identifiers import TagID
from lakeproof.model.invariants import Finding, Invariant, Reached, Reads, Violation, always, eventually
from lakeproof.model.snapshot import Snapshot, Status
from lakeproof.scenario import Call


@eventually("a dump names no commit that it lacks, and is not refused", reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}))
def dump_is_restorable(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("dump_refs"):
        if isinstance(call.error, NotDumpable):
            # Each state of the repository is sound, so that only the order of the reads can have shown a fault.
            yield Violation("dump-is-restorable", f"nothing is wrong with the repository, and: {call.error}")
        if call.status is not Status.OK:
            continue
        assert isinstance(call.value, RefsDump)
        try:
            ids = decode_manifest(_object(snapshot, call.value.manifest_id))
            refs = decode_refs({part: decode_part(part, _object(snapshot, at)) for part, at in ids.items()})
        except (MalformedDump, KeyError) as error:  # KeyError: an object of the dump is missing
            yield Violation("dump-is-restorable", f"dump_refs succeeded, and its dump cannot be restored: {error}")
            continue
        yield Reached(f"a dump of {len(refs.branches)} branches and {len(refs.commits)} commits")


@always("a manifest names objects that are there, also where its dump broke off", reads=frozenset({Reads.OBJECTS}))
def manifest_comes_last(snapshot: Snapshot) -> Iterator[Finding]:
    for address, stored in snapshot.objects.items():
        with suppress(MalformedDump):  # another object
            ids = decode_manifest(stored.content)
            there = {part: dump_address(REPOSITORY.storage_namespace, part_id) for part, part_id in ids.items()}
            missing = [part for part, at in there.items() if at not in snapshot.objects]
            yield Violation("manifest-comes-last", f"{address}: without {missing}") if missing else Reached(address)


def _object(snapshot: Snapshot, part_id: str) -> bytes:
    return snapshot.objects[dump_address(REPOSITORY.storage_namespace, part_id)].content


WORDS: Final[Mapping[str, Word[None]]] = {
    "dump": Word(lambda _: dump_refs),
    "commit": Word(lambda _: lock_free.commit, BRANCH, "a0"),
    "create_branch": Word(lambda _: branches.create_branch, "c", BRANCH),
    "tag": Word(lambda _: tags.create_tag, TagID("t"), BRANCH),
    "delete_branch": Word(lambda _: branches.delete_branch, BRANCH),
}


@attrs.frozen(kw_only=True)
class DumpDesign(Design[None]):
    """An order in which a dump reads; a race is called after what is under way beside it."""

    flows: None = None
    source: str = "graveler-on-kv.md, Dump/Restore Refs"
    subject: ClassVar = (REPOSITORY,)
    vocabulary: ClassVar = WORDS
    founded: ClassVar = (*FOUNDED, Call(writes.set_entry, REPOSITORY, BRANCH, X, b"s0"))

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return [dump_is_restorable, manifest_comes_last]


def _design(order: str, refuted: Mapping[str, Refuted], *, checks: bool, batch_size: int = 100) -> DumpDesign:
    options: dict[str, dict[str, Hashable]] = {
        "dump": {"order": order, "checks": checks, "batch_size": batch_size},  # 100: one page
        "commit": {"reading": lock_free.Reading(drops=False)},
    }
    return DumpDesign(name=f"dumps/{order}", refuted=refuted, options=options)


BRANCHES_FIRST: Final = _design("branches-first", HOLDS, checks=True)
IN_PAGES: Final = _design("branches-first", HOLDS, checks=True, batch_size=1)
COMMITS_FIRST: Final = _design(
    "commits-first",
    {
        "dump-is-restorable": Refuted(
            "a commit moves a branch, after the commits were read and before the branches are, to one that is too new",
            "commit*",
        )
    },
    checks=False,
)


def _rows(design: DumpDesign, races: str, faults: FaultSet) -> Iterator[Row]:
    for race in races.split():
        yield from rows(design, f"dump-{race}", faults, name=race)


RACES: Final = "commit commit-create_branch commit-tag commit-delete_branch"

ROWS = [
    *_rows(BRANCHES_FIRST, RACES, FAULTS),
    *_rows(IN_PAGES, "commit commit-create_branch", PAGED | SCAN_FAILURE),
    *_rows(COMMITS_FIRST, RACES, NONE),
]
