"""A dump of refs while somebody commits, tags, creates or deletes a branch."""

from collections.abc import Iterator
from typing import Final

from lakeproof.impl.graveler import founding, lock_free, writing
from lakeproof.impl.refs import branches, tags
from lakeproof.impl.refs.dump import RefsDump, dump_refs
from lakeproof.impl.refs.dump_format import (
    PARTS,
    MalformedDump,
    decode_manifest,
    decode_part,
    decode_refs,
    dump_address,
)
from lakeproof.model.identifiers import TagID
from lakeproof.model.invariants import Eventually, Finding, Reached, Reads, Violation
from lakeproof.model.snapshot import Snapshot, Status
from lakeproof.scenario import Call, Faults, Scenario
from lakeproof.scenarios._branch_data import BRANCH, FAULTS, PAGED, REPOSITORY, X

SOURCE: Final = "graveler-on-kv.md, Dump/Restore Refs"
MAIN: Final = REPOSITORY.default_branch_id


def _restorable(snapshot: Snapshot) -> Iterator[Finding]:
    for call in snapshot.calls("dump_refs"):
        if call.status is not Status.OK:
            continue
        assert isinstance(call.value, RefsDump)
        try:
            manifest = decode_manifest(_object(snapshot, call.value.manifest_id))
            ids = {part: getattr(manifest, part) for part in PARTS}
            refs = decode_refs({part: decode_part(part, _object(snapshot, ids[part])) for part in PARTS})
        except (MalformedDump, KeyError) as error:
            yield Violation("dump-is-restorable", f"dump_refs succeeded, and its dump cannot be restored: {error}")
            continue
        yield Reached(f"a dump of {len(refs.branches)} branches and {len(refs.commits)} commits")


def _object(snapshot: Snapshot, part_id: str) -> bytes:
    return snapshot.objects[dump_address(REPOSITORY.storage_namespace, part_id)].content


dump_is_restorable = Eventually(
    id="dump-is-restorable",
    meaning="a dump that succeeded names no commit that it does not hold",
    check=_restorable,
    reads=frozenset({Reads.OBJECTS, Reads.CLIENTS}),
)

SETUP: Final = (
    Call(founding.found, REPOSITORY),
    Call(branches.create_branch, REPOSITORY, BRANCH, MAIN),
    Call(writing.set_entry, REPOSITORY, BRANCH, X, b"s0"),
)

OTHERS: Final = {
    "commit": Call(lock_free.commit, REPOSITORY, BRANCH, "a0", drops=False),
    "branch": Call(branches.create_branch, REPOSITORY, "c", BRANCH),
    "tag": Call(tags.create_tag, REPOSITORY, TagID("t"), BRANCH),
    "drop": Call(branches.delete_branch, REPOSITORY, BRANCH),
}
"""Who is under way while a dump is made."""


def _scenario(variant: str, race: str, suffix: str, faults: Faults, batch_size: int) -> Scenario:
    broken = variant == "commits-first"
    dump = Call(dump_refs, REPOSITORY, order=variant, checks=not broken, batch_size=batch_size)
    refuted = broken and "commit" in race
    reason = "a commit moves a branch, after the commits were read and before the branches are, to one that is too new"
    return Scenario(
        name=f"dumps/{variant}/{race}{suffix}",
        setup=SETUP,
        clients=[[dump], *([OTHERS[word]] for word in race.split("-"))],
        invariants=[dump_is_restorable],
        faults=faults,
        expect={"dump-is-restorable": "violated"} if refuted else {},
        reason=f"dump-is-restorable: {reason}" if refuted else "",
        source=SOURCE,
    )


RACES: Final = ("commit", "commit-branch", "commit-tag", "commit-drop")

SCENARIOS = [
    *(_scenario("branches-first", race, *each, 100) for race in RACES for each in FAULTS.items()),
    *(_scenario("branches-first", race, *each, 1) for race in RACES[:2] for each in PAGED.items()),
    *(_scenario("commits-first", race, "", Faults(), 100) for race in RACES),
]
