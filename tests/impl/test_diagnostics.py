"""Diagnostics: every planted trouble is named with its place, nothing else is, nothing is written."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import attrs
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.impl.codec import encode
from lakeproof.impl.diagnostics import Collected, collect, write_zip
from lakeproof.impl.diagnostics.layouts import LakeFSLayout
from lakeproof.impl.effects import Env
from lakeproof.impl.live import live_env, run
from lakeproof.impl.migration.checks import METADATA, VERSION, VERSION_KEY
from lakeproof.impl.refs.branches import create_branch, delete_branch_by_tombstone
from lakeproof.impl.refs.tags import create_tag
from lakeproof.impl.repositories import hardened, kv3, step1
from lakeproof.impl.staging import stage, tombstone
from lakeproof.impl.stores import MemoryStore, Store
from lakeproof.model import keys, kv
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
    TagID,
)
from lakeproof.model.records import CleanupRecord, Record, RepositoryState, StagedEntry
from tests.impl.diagnosing import SOUND, diagnosed, hand_with, unzipped
from tests.impl.records import REPOSITORY, P, branch, commit, stored, tag


def findings(store: Mapping[kv.Address, bytes]) -> list[tuple[object, ...]]:
    return [attrs.astuple(finding) for finding in diagnosed(store).findings]


CHANGES = (*(StagedEntry(key=b"a" + data, identity=b"", data=data) for data in (b"", b"123")), tombstone(b"b"))


class TestSoundStores:
    @pytest.mark.parametrize("batch_size", [0, 1, 2, 1000])
    def test_a_sound_repository_has_its_rows_and_no_findings(self, batch_size: int) -> None:
        token = branch("main").staging_token
        twice = attrs.evolve(branch("dev"), sealed_tokens=(StagingToken("s"),) * 2)  # of one branch, so not shared
        store = stored(*SOUND, twice, *CHANGES)
        # `stored` puts changes under a token of its own, which is that of "main".
        assert keys.staging_partition(token) in {partition for partition, _ in store}
        found = diagnosed(store, batch_size)
        assert found.findings == ()
        assert [len(rows) for rows in found.tables.values()] == [1, 2, 2, 1, 3, 0]
        assert tuple(found.tables["repositories"][0].values())[-3:] == (2, 2, 1)
        [_, main, sealed] = found.tables["staging"]
        assert tuple(main.values()) == ("r-main:t", ("r-u/main",), 3, 1, 3)
        assert sealed["owners"] == ("r-u/dev",)
        assert found.complete

    def test_what_our_own_flows_leave_behind_is_sound(self) -> None:
        async def flow(env: Env) -> None:
            for variant, name in ((kv3, "one"), (step1, "two"), (hardened, "three")):
                repository = await variant.create_repository(env, RepositoryID(name))
                made = await create_branch(env, repository, BranchID("dev"), "main")
                await create_branch(env, repository, BranchID("gone"), "main")
                await delete_branch_by_tombstone(env, repository, BranchID("gone"))
                await create_tag(env, repository, TagID("v"), "dev")
                await stage(env, made.staging_token, tombstone(b"x"))
            await kv3.create_bare_repository(env, RepositoryID("bare"))
            await hardened.delete_repository(env, RepositoryID("three"))

        store = MemoryStore()
        trio.run(partial(run, flow(live_env()), store))
        found = diagnosed(store.contents())
        assert found.findings == ()
        assert (found.sound, found.complete) == (True, True)
        states = {row["repository_id"]: row["state"] for row in found.tables["repositories"]}
        assert states == {"one": "active", "two": "active", "bare": "active", "three": "deleted"}
        assert [row["deleted"] for row in found.tables["branches"] if row["branch_id"] == "gone"] == [True] * 3

    @pytest.mark.parametrize("state", [s for s in RepositoryState if s is not RepositoryState.ACTIVE])
    def test_nobody_blames_a_repository_that_is_half_built_or_half_deleted(self, state: RepositoryState) -> None:
        store = stored(attrs.evolve(REPOSITORY, state=state), branch("dev"), tag("v"), commit("d", "c"))
        assert findings(store) == []

    def test_what_is_left_for_the_cleaner_is_counted(self) -> None:
        note = CleanupRecord(repository_id=RepositoryID("old"), instance_uid=InstanceUID("w"))
        store = stored(*SOUND)
        store[keys.DELETED, keys.cleanup_key(note.repository_id, note.instance_uid)] = encode(note)
        store[b"old-w", b"tags/v"] = encode(tag("v"))
        store[b"old-w", b"commits/c"] = b"\xff"
        found = diagnosed(store)
        assert [tuple(row.values()) for row in found.tables["cleanup"]] == [("old", "w", 2)]
        assert found.findings == ()

    @pytest.mark.parametrize("mark", ["?sig=", "#"])
    def test_what_users_wrote_and_credentials_stay_out(self, mark: str, tmp_path: Path) -> None:
        secret = "hunter2"  # noqa: S105  # that is the point
        namespace = StorageNamespace(f"s3://key:{secret}@bucket/path{mark}{secret}")
        wordy = attrs.evolve(commit("c"), message=secret, committer=secret, metadata=((secret, secret),))
        store = stored(
            attrs.evolve(REPOSITORY, storage_namespace=namespace),
            wordy,
            branch("main", "c"),
            StagedEntry(key=secret.encode(), identity=secret.encode(), data=secret.encode()),
        )
        store[P, b"commits/bad"] = b"\xff" + secret.encode()
        store[b"r-main:t", b"key/other"] = store[b"r-main:t", b"key/" + secret.encode()]
        found = diagnosed(store)
        write_zip(tmp_path / "d.zip", found)
        assert secret not in "".join(unzipped(tmp_path / "d.zip").values())
        assert found.tables["repositories"][0]["storage_namespace"] == "s3://bucket/path"
        assert tuple(found.tables["commits"][0].values())[-2:] == (7, 1)
        assert [finding.kind for finding in found.findings] == ["undecodable", "misplaced"]


WHOLE = (REPOSITORY, commit("c"), branch("main"))
NOT_THERE = "which is not there"


class TestFindings:
    @pytest.mark.parametrize(
        ("records", "kind", "key", "told"),
        [
            ((REPOSITORY, branch("main")), "dangling", b"branches/main",
             f"branch 'main' names commit 'c', {NOT_THERE}"),
            ((*WHOLE, attrs.evolve(tag("v"), commit_id=CommitID(""))), "dangling", b"tags/v",
             f"tag 'v' names commit '', {NOT_THERE}"),
            ((REPOSITORY, commit("c", "b"), branch("main")), "dangling", b"commits/c",
             f"commit 'c' names commit 'b', {NOT_THERE}"),
            *((
                (REPOSITORY, commit("c"), other), "no-default-branch", b"branches/main",
                "default branch 'main' is not there",
            ) for other in (branch("dev"), branch("main", ""))),
            ((*SOUND, attrs.evolve(branch("twin", "c"), sealed_tokens=(StagingToken("r-main:t"),))), "shared-token",
             b"branches/twin", "staging token 'r-main:t' is also that of 'r-u/main'"),
            ((*SOUND, attrs.evolve(branch("odd", "c"), staging_token=StagingToken("graveler"))), "bad-name",
             b"branches/odd", "staging token 'graveler': the partition of that name is taken; choose another"),
            ((attrs.evolve(REPOSITORY, instance_uid=InstanceUID("a-b")),), "bad-name", b"repos/r",
             "instance uid 'a-b': expected no '-': it would blur where the repository id ends; leave it out"),
        ],
    )  # fmt: skip
    def test_each_is_named_with_its_place(self, records: tuple[Record, ...], kind: str, key: bytes, told: str) -> None:
        found = diagnosed(stored(*records))
        partition = b"graveler" if key.startswith(b"repos/") else P
        assert [attrs.astuple(finding) for finding in found.findings] == [(kind, partition, key, told)]
        assert (found.sound, found.complete) == (False, True)

    def test_bytes_that_are_no_record_are_named_and_the_rest_is_still_read(self) -> None:
        store = stored(*SOUND)
        store[keys.GRAVELER, b"repos/bad"] = b"\xff"
        store[keys.GRAVELER, b"repos/future"] = b"\x28\x09"  # state 9
        store[P, b"branches/bad"] = b"\xff\xff"
        store[P, b"commits/bad"] = b"\xff"
        store[P, b"tags/a"] = b"\xff"
        store[b"r-main:t", b"key/p"] = b"\xff"
        store[keys.DELETED, b"repo/r/u"] = b"\xff"
        found = diagnosed(store)
        assert {finding.kind for finding in found.findings} == {"undecodable"}
        assert [(finding.partition, finding.key) for finding in found.findings] == [
            (b"graveler", b"repos/bad"),
            (b"graveler", b"repos/future"),
            (b"r-u", b"branches/bad"),
            (b"r-u", b"commits/bad"),
            (b"r-u", b"tags/a"),
            (b"r-main:t", b"key/sha256:148de9c5a7a44d19"),  # the path of an entry is nobody's business
            (b"graveler_deleted", b"repo/r/u"),
        ]
        messages = {finding.key: finding.message for finding in found.findings}
        assert messages[b"branches/bad"] == "2 bytes: no record of the kind that the key asks for"
        assert messages[b"repos/future"] == "repository state 9: expected one of [0, 1, 2, 3]"
        assert found.tables == diagnosed(stored(*SOUND)).tables

    @pytest.mark.parametrize(
        ("records", "key"), [((REPOSITORY, branch("main", "c")), b"commits/c"), ((REPOSITORY,), b"branches/main")]
    )
    def test_what_is_there_but_undecodable_is_not_missing(self, records: tuple[Record, ...], key: bytes) -> None:
        assert [finding[0] for finding in findings({**stored(*records), (P, key): b"\xff"})] == ["undecodable"]

    def test_a_record_at_another_ones_address_is_named_and_does_not_stand_in_for_it(self) -> None:
        store = stored(REPOSITORY, branch("main", "c"))
        store[P, b"commits/x"] = encode(commit("c"))
        assert findings(store) == [
            ("misplaced", P, b"commits/x", "holds the record of 'c'"),
            ("dangling", P, b"branches/main", "branch 'main' names commit 'c', which is not there"),
        ]

    def test_keys_of_others_are_noted_and_no_trouble(self) -> None:
        store = stored(*SOUND)
        store[P, b"locks/main"] = b"12"
        store[P, b"\xff\xfe"] = b""
        store[keys.GRAVELER, b"settings"] = b""
        found = diagnosed(store)
        assert found.sound
        assert [(finding.kind, finding.key, finding.message) for finding in found.findings] == [
            ("unknown-key", b"locks/main", "2 bytes under a key of no known entity"),
            ("unknown-key", b"\xff\xfe", "0 bytes under a key of no known entity"),
            ("unknown-key", b"settings", "0 bytes under a key of no known entity"),
        ]

    @given(
        st.sets(st.sampled_from("abcdef")),
        st.dictionaries(st.sampled_from("abcdef"), st.lists(st.sampled_from("abcdef"), unique=True, max_size=2)),
        st.dictionaries(st.sampled_from("xyz"), st.sampled_from("abcdef")),
        st.dictionaries(st.sampled_from("xyz"), st.sampled_from("abcdef")),
    )
    def test_exactly_what_dangles_is_found(
        self, extra: set[str], parents: Mapping[str, list[str]], heads: Mapping[str, str], tags: Mapping[str, str]
    ) -> None:
        commits = {**{name: [] for name in extra}, **parents}
        named = [(f"branch {name!r}", head) for name, head in heads.items()]
        named += [(f"tag {name!r}", head) for name, head in tags.items()]
        named += [(f"commit {name!r}", parent) for name, listed in commits.items() for parent in listed]
        records = [commit(name, *listed) for name, listed in commits.items()]
        branches = [branch(name, head) for name, head in heads.items()]
        at = [attrs.evolve(tag(name), commit_id=CommitID(head)) for name, head in tags.items()]
        found = findings(stored(attrs.evolve(REPOSITORY, bare=True), *records, *branches, *at))
        assert sorted(str(finding[3]) for finding in found) == sorted(
            f"{what} names commit {head!r}, which is not there" for what, head in named if head not in commits
        )


def without(store: Mapping[kv.Address, bytes], at: kv.Address | None, *, like_lakefs: bool = False) -> Collected:
    """What is found where the first read at an address is refused: of a key, or of a partition (no key)."""
    hand = hand_with(store)
    partitions = sorted({each for each, _ in store})
    flow = partial(collect, hand.env, partitions=partitions, like_lakefs=like_lakefs, whole=not like_lakefs)
    found = hand.do(flow())
    if at is None:
        return found
    read = [(op.partition, getattr(op, "key", b"")) for op in hand.ops if isinstance(op, kv.Get | kv.ScanBatch)]
    return hand.do(flow(), told={read.index(at): kv.Refused("disk on fire")})


DANGLING = stored(REPOSITORY, tag("v"))
OTHER = encode(attrs.evolve(REPOSITORY, repository_id=RepositoryID("a")))
LEFT = {(b"old-w", b"tags/v"): encode(tag("v"))}
VERSIONED = {(METADATA, VERSION_KEY): VERSION}
TWINS = [attrs.evolve(branch(name), sealed_tokens=(StagingToken("r-main:t"),)) for name in ("twin", "twos")]
UNOWNED = {(b"r-old:t", b"key/a"): encode(tombstone(b"a"))}


class TestUnreadable:
    @pytest.mark.parametrize("partition", [keys.GRAVELER, P, b"r-main:t", keys.DELETED])
    def test_a_partition_that_cannot_be_read_is_named_and_the_others_are_read(self, partition: bytes) -> None:
        found = without({**stored(*SOUND), **LEFT}, (partition, b""))  # nothing is a stray that may be led to
        assert [attrs.astuple(finding) for finding in found.findings] == [
            ("unreadable", partition, b"", "Refused: disk on fire")
        ]
        assert (found.sound, found.complete) == (True, False)

    @pytest.mark.parametrize(
        ("store", "at", "kinds"),
        [
            (DANGLING, (P, b"commits/c"), ["unreadable", "no-default-branch"]),
            (DANGLING, (P, b"branches/main"), ["unreadable", "dangling"]),
            (DANGLING, (keys.GRAVELER, b"repos/r"), ["unreadable", "changed-meanwhile"]),
            ({**DANGLING, (keys.GRAVELER, b"repos/a"): OTHER}, (b"a-u", b""),
             ["unreadable", "dangling", "no-default-branch"]),
        ],
    )  # fmt: skip
    def test_what_could_not_be_looked_for_is_not_missing_and_all_else_is(
        self, store: Mapping[kv.Address, bytes], at: kv.Address, kinds: list[str]
    ) -> None:
        assert [finding.kind for finding in without(store, at).findings] == kinds

    def test_any_operation_may_fail_and_nothing_is_said_to_dangle_that_does_not(self) -> None:
        hand = hand_with(stored(*SOUND))
        hand.do(collect(hand.env, batch_size=1))
        for number in range(len(hand.ops)):
            found = hand.do(collect(hand.env, batch_size=1), told={number: kv.ScanInterrupted()})
            assert [finding.kind for finding in found.findings] == ["unreadable"]


@pytest.mark.parametrize(
    ("store", "at", "kinds"),
    [
        ({**stored(*SOUND), **VERSIONED}, None, []),
        (stored(*SOUND), None, ["version"]),
        ({**stored(*SOUND), **VERSIONED}, (METADATA, VERSION_KEY), ["unreadable"]),
        ({**stored(REPOSITORY), **VERSIONED}, None, ["bare"]),
        ({**stored(REPOSITORY), **VERSIONED}, (P, b""), ["unreadable"]),
        ({**stored(*SOUND), **VERSIONED, **LEFT}, None, ["left-over"]),
        (stored(tag("v")), None, ["dangling", "part"]),
        (stored(commit("c"), branch("main"), *CHANGES), None, ["part"]),
        ({**stored(*SOUND, *TWINS), **VERSIONED}, None, ["shared-token"] * 2),
        ({**stored(*SOUND, branch("torn", "")), **VERSIONED}, None, ["dangling"]),
        ({**stored(*SOUND), **VERSIONED, **UNOWNED}, None, ["unowned-token"]),
    ],
)
def test_a_store_of_lakefs_has_a_version_and_no_mark_of_what_is_bare_or_deleted(
    store: Mapping[kv.Address, bytes], at: kv.Address | None, kinds: list[str]
) -> None:
    found = without(store, at, like_lakefs=True)
    assert [finding.kind for finding in found.findings] == kinds
    assert found.complete is {"unreadable", "part", "version"}.isdisjoint(kinds)
    assert "part" not in kinds or not found.tables["staging"]  # it lies in partitions that are not of the part


@pytest.mark.parametrize(("entity", "kinds"), [((), []), ((tag("v"),), ["dangling", "part"])])
def test_a_whole_store_without_a_repository_is_no_part_unless_its_record_may_be_lost(
    entity: tuple[Record, ...], kinds: list[str]
) -> None:
    hand = hand_with({**stored(*entity), **VERSIONED})
    found = hand.do(collect(hand.env, partitions=[P, METADATA], like_lakefs=True))
    assert [finding.kind for finding in found.findings] == kinds


async def answer(store: Store, op: kv.Op) -> object:
    try:
        return await store.perform(op)
    except kv.KVError as error:
        return type(error)


@given(
    st.sets(st.sampled_from([b"a", b"b", b"key/a", b"z"])),
    st.sampled_from([b"a", b"key", b"key/a", b"key/a\0", b"key/key/", b"key/z\0", b"key0", b"z"]),
    st.integers(0, 3),
)
def test_staged_entries_of_lakefs_are_read_as_those_of_the_designs(
    paths: set[bytes], key: bytes, batch_size: int
) -> None:
    token = b"r-main:t"
    theirs: Store = LakeFSLayout(MemoryStore({(token, path): path for path in paths}))
    ours: Store = MemoryStore({(token, keys.staged_key(path)): path for path in paths})
    reads: list[kv.Op] = [kv.ScanBatch(token, start, batch_size) for start in (b"", keys.STAGED_PREFIX, key)]
    for op in (kv.Get(token, key), *reads):
        assert trio.run(answer, theirs, op) == trio.run(answer, ours, op)
    assert trio.run(answer, theirs, kv.Set(token, key, b"")) is kv.Refused


Changes = Mapping[int, tuple[tuple[Record, ...], tuple[kv.Address, ...]]]
"""By number of the effect: what is written and what is deleted before it."""


def interrupted(batch_size: int, changes: Changes) -> list[str]:
    """The kinds of findings in a sound store that changes meanwhile: notes only."""
    hand = hand_with(stored(*SOUND))
    running, number = hand.begin(collect(hand.env, batch_size=batch_size)), 0
    while running.op is not None:
        written, deleted = changes.get(number, ((), ()))
        gone = {("kv", *at) for at in deleted}
        cells = {**hand.cells, **hand_with(stored(*written)).cells}
        hand.cells = {cell: value for cell, value in cells.items() if cell not in gone}
        running.step()
        number += 1
    found = running.finish()
    assert found.sound, found.findings
    return [finding.kind for finding in found.findings]


class TestConcurrentWrites:
    """Others write between any two effects."""

    @pytest.mark.parametrize("batch_size", [0, 1])
    def test_commits_meanwhile_do_not_dangle(self, batch_size: int) -> None:
        later: list[Record] = [commit("z", "d"), commit("a", "z"), branch("main", "a"), tag("w")]
        for at in range(30):
            interrupted(batch_size, {at + n: ((record,), ()) for n, record in enumerate(later)})

    @pytest.mark.parametrize("batch_size", [0, 1])
    @pytest.mark.parametrize("left", [(), (attrs.evolve(REPOSITORY, state=RepositoryState.DELETED),)])
    def test_a_repository_that_is_deleted_meanwhile_is_noted_and_no_trouble(
        self, left: tuple[Record, ...], batch_size: int
    ) -> None:
        noted = 0
        gone = tuple(at for at in stored(*SOUND) if at[0] == P or (at[0] == keys.GRAVELER and not left))
        for at in range(30):
            noted += interrupted(batch_size, {at: (left, gone)}) == ["changed-meanwhile"]
        assert noted
