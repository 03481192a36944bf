"""The invariants of data on snapshots made by hand: each is tested, reached and refuted."""

from collections.abc import Hashable, Iterable, Mapping

import pytest

from lakeproof.model import keys
from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
)
from lakeproof.model.invariants import Finding, Reached, Violation, data
from lakeproof.model.objects import StoredObject, etag
from lakeproof.model.records import Branch, Commit, Record, Repository, StagedEntry
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from tests.model.test_branch_invariants import History, verdict

NS = StorageNamespace("mem://r")
REPOSITORY = Repository(
    repository_id=RepositoryID("r"),
    storage_namespace=NS,
    default_branch_id=BranchID("main"),
    creation_date=0,
    instance_uid=InstanceUID("u"),
)
PARTITION = keys.repository_partition(REPOSITORY.repository_id, REPOSITORY.instance_uid)
OPEN, SEALED, DEAD = StagingToken("open"), StagingToken("sealed"), StagingToken("dead")


def encoded(name: str) -> bytes:
    """The data of an entry for the object of this name, or for one elsewhere, whose content is the name."""
    full = "://" in name
    kind = AddressType.FULL if full else AddressType.RELATIVE
    address = name if full else f"data/{name}"
    return encode_object_entry(ObjectEntry(address=address, address_type=kind, e_tag=etag(name.encode())))


def staged(path: str, name: str | None) -> StagedEntry:
    if name is None:
        return StagedEntry(key=path.encode(), identity=b"", data=None)
    return StagedEntry(key=path.encode(), identity=identity_of(encoded(name)), data=encoded(name))


Changes = Mapping[str, str | None]


def snapshot(
    there: Iterable[str] | Mapping[str, bytes],
    *,
    committed: Mapping[str, str] | None = None,
    changes: Mapping[StagingToken, Changes] | None = None,
    reachable: bool = True,
    ranges: bool = True,
) -> Snapshot:
    """A repository with a commit of these paths, a branch at it with two tokens, and these objects."""
    contents = there if isinstance(there, Mapping) else {name: name.encode() for name in there}
    objects = {f"{NS}/data/{name}": StoredObject(content) for name, content in contents.items()}
    made = write(
        [
            Entry(path=path.encode(), identity=identity_of(encoded(name)), data=encoded(name))
            for path, name in sorted((committed or {}).items())
        ]
    )
    if ranges:
        objects |= {object_address(NS, each): StoredObject(content) for each, content in made.objects.items()}
    first, second = (
        Commit(commit_id=CommitID(name), committer="", message="", creation_date=0, meta_range_id=MetaRangeID(meta))
        for name, meta in (("c0", ""), ("c1", made.meta_range_id))
    )
    branch = Branch(
        branch_id=BranchID("b"),
        commit_id=second.commit_id if reachable else first.commit_id,
        staging_token=OPEN,
        sealed_tokens=(SEALED,),
    )
    store: dict[tuple[bytes, bytes], Record | bytes] = {
        (keys.GRAVELER, keys.repository_key(REPOSITORY.repository_id)): REPOSITORY,
        (PARTITION, keys.branch_key(branch.branch_id)): branch,
        (PARTITION, keys.commit_key(first.commit_id)): first,
        (PARTITION, keys.commit_key(second.commit_id)): second,
    }
    for token, paths in (changes or {}).items():
        for path, name in paths.items():
            store[keys.staging_partition(token), keys.staged_key(path.encode())] = staged(path, name)
    return Snapshot(store=store, objects=objects, now=0, clients=())


def kinds(found: Iterable[Finding]) -> set[type]:
    return {type(each) for each in found}


kept, unchanged, staged_kept, one_entry = (each.check for each in data.ALL)


class TestCommitted:
    def test_what_is_there_is_kept(self) -> None:
        seen = snapshot(["a"], committed={"x": "a"})
        assert kinds(kept(seen)) == kinds(unchanged(seen)) == {Reached}

    def test_an_object_that_is_gone_is_a_violation_that_names_it(self) -> None:
        [found] = kept(snapshot([], committed={"x": "a"}))
        assert found == Violation("committed-data-is-kept", "commit c1 has b'x' at mem://r/data/a, which is not there")

    def test_a_commit_whose_range_is_gone_cannot_be_read(self) -> None:
        [found] = kept(snapshot(["a"], committed={"x": "a"}, ranges=False))
        assert isinstance(found, Violation)
        assert "cannot be read" in found.evidence

    def test_of_unreachable_commits_nothing_is_asked(self) -> None:
        assert list(kept(snapshot([], committed={"x": "a"}, reachable=False))) == []

    def test_of_objects_elsewhere_nothing_is_asked(self) -> None:
        assert list(kept(snapshot([], committed={"x": "s3://other/a"}))) == []

    def test_another_content_is_a_violation(self) -> None:
        seen = snapshot({"a": b"other"}, committed={"x": "a"})
        assert kinds(unchanged(seen)) == {Violation}
        assert kinds(kept(seen)) == {Reached}


class TestStaged:
    @pytest.mark.parametrize("token", [OPEN, SEALED])
    def test_under_any_token_of_the_branch_the_object_must_be_there(self, token: StagingToken) -> None:
        assert kinds(staged_kept(snapshot(["a"], changes={token: {"x": "a"}}))) == {Reached}
        assert kinds(staged_kept(snapshot([], changes={token: {"x": "a"}}))) == {Violation}

    @pytest.mark.parametrize("newer", [{"x": "b"}, {"x": None}])
    def test_what_a_newer_change_hides_nobody_asks_for(self, newer: Changes) -> None:
        seen = snapshot(["b"], changes={OPEN: newer, SEALED: {"x": "a"}})
        assert Violation not in kinds(staged_kept(seen))

    def test_under_a_token_of_no_branch_it_may_be_gone(self) -> None:
        assert list(staged_kept(snapshot([], changes={DEAD: {"x": "a"}}))) == []


class TestOneEntry:
    @pytest.mark.parametrize(
        ("committed", "changes"),
        [
            ({}, {OPEN: {"x": "a", "y": "a"}}),
            ({"x": "a"}, {OPEN: {"y": "a"}}),
            ({"x": "a", "y": "a"}, {}),
        ],
    )
    def test_two_entries_of_an_address_are_a_violation(
        self, committed: Mapping[str, str], changes: Mapping[StagingToken, Changes]
    ) -> None:
        assert Violation in kinds(one_entry(snapshot(["a"], committed=committed, changes=changes)))

    def test_the_same_entry_under_two_tokens_is_one(self) -> None:
        seen = snapshot(["a"], changes={OPEN: {"x": "a"}, SEALED: {"x": "a"}})
        assert kinds(one_entry(seen)) == {Reached}


class TestGarbage:
    DONE = Outcome(Status.OK)

    def found(self, seen: Snapshot, *outcomes: Outcome) -> set[type]:
        return kinds(data.garbage_is_reclaimed(outcomes, seen))

    def test_an_object_that_nothing_refers_to_is_garbage(self) -> None:
        assert self.found(snapshot(["a"])) == {Violation}

    def test_what_is_staged_hidden_or_committed_is_not(self) -> None:
        seen = snapshot(["a", "b", "c"], committed={"z": "c"}, changes={OPEN: {"x": "a"}, SEALED: {"x": "b"}})
        assert self.found(seen, self.DONE) == {Reached}

    def test_nor_is_what_only_an_unreachable_commit_has(self) -> None:
        assert self.found(snapshot(["a"], committed={"x": "a"}, reachable=False)) == {Reached}

    def test_what_is_staged_under_a_token_of_no_branch_is(self) -> None:
        assert self.found(snapshot(["a"], changes={DEAD: {"x": "a"}})) == {Violation}

    def test_a_job_that_fails_reclaims_nothing(self) -> None:
        assert self.found(snapshot([]), Outcome(Status.FAIL, error=ValueError("no"))) == {Violation, Reached}


class TestAcknowledgedLink:
    """A link of an issued address is a change like an upload, and it overwrites one."""

    LINKED = History(data.acknowledged_upload_is_kept).does(0, "link_physical_address", b"x", "grant", b"g")

    def test_it_is_kept_while_the_branch_shows_its_content(self) -> None:
        assert verdict(self.LINKED.at_end(snapshot(["g"], changes={OPEN: {"x": "g"}}))) == "holds"

    @pytest.mark.parametrize("shown", [{}, {"x": "a"}, {"x": None}])
    def test_it_is_lost_where_the_branch_shows_another_or_none(self, shown: Changes) -> None:
        assert verdict(self.LINKED.at_end(snapshot(["a"], changes={OPEN: shown}))) == "violated"

    @pytest.mark.parametrize("later", [("link_physical_address", b"x", "grant", b"g"), ("restore_object", b"x", "c0")])
    def test_of_an_upload_that_it_overwrites_nothing_is_asked(self, later: tuple[str, *tuple[Hashable, ...]]) -> None:
        history = History(data.acknowledged_upload_is_kept).does(0, "upload_object", b"x", b"a")
        overwritten = history.does(1, *later)
        assert verdict(overwritten.at_end(snapshot(["g"], changes={OPEN: {"x": "g"}}))) != "violated"
