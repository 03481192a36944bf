"""The invariants of retention on snapshots made by hand: each is tested, reached and refuted."""

from collections.abc import Iterable, Mapping

import attrs
import pytest

from lakeproof.model.catalog import AddressType, ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.committed import Entry, object_address, write
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.invariants.data import address_has_one_entry, committed_data_is_kept
from lakeproof.model.invariants.retention import (
    active_data_is_kept,
    active_is_not_condemned,
    only_expired,
    uncommitted_data_is_kept,
)
from lakeproof.model.objects import StoredObject
from lakeproof.model.records import Commit, Record, StagedEntry
from lakeproof.model.references import repositories
from lakeproof.model.retention import DAY, Rules
from lakeproof.model.snapshot import CallView, Snapshot, Status
from tests.impl.records import REPOSITORY, P, branch, commit, held, staged_under, tag
from tests.model.test_branch_invariants import verdict

NOW = 1_700_000_000_000_000
NAMESPACE = REPOSITORY.storage_namespace
MAIN = REPOSITORY.default_branch_id
WEEK = Rules(7)


def data(name: str) -> bytes:
    kind = AddressType.FULL if "://" in name else AddressType.RELATIVE
    return encode_object_entry(ObjectEntry(address=name if "://" in name else f"data/{name}", address_type=kind))


def entry(name: str) -> Entry:
    return Entry(path=name.encode(), identity=identity_of(data(name)), data=data(name))


def staged(name: str) -> StagedEntry:
    return StagedEntry(key=name.encode(), identity=identity_of(data(name)), data=data(name))


def snapshot(
    commits: Mapping[str, tuple[float, str, Iterable[str]]],
    heads: Mapping[str, str],
    there: Iterable[str],
    *,
    tags: Mapping[str, str] | None = None,
    opened: Iterable[str] = (),
    sealed: Iterable[str] = (),
) -> Snapshot:
    """Commits by name: age in days, parent, names of objects. ``there``: the objects that exist."""
    records: list[Record] = [REPOSITORY]
    objects = {f"{NAMESPACE}/data/{name}": StoredObject(b"") for name in there}
    for name, (age, parent, names) in commits.items():
        written = write([entry(each) for each in sorted(names)])
        made = attrs.evolve(commit(name, *([parent] if parent else [])), creation_date=NOW - int(age * DAY))
        records.append(attrs.evolve(made, meta_range_id=written.meta_range_id))
        for object_id, content in written.objects.items():
            objects[object_address(NAMESPACE, object_id)] = StoredObject(content)
    for name, head in heads.items():
        sealed_tokens = (StagingToken("sealed"),) if name == MAIN else ()
        records.append(attrs.evolve(branch(name, head), sealed_tokens=sealed_tokens))
    records += [attrs.evolve(tag(name), commit_id=CommitID(head)) for name, head in (tags or {}).items()]
    open_ones = staged_under(branch(MAIN).staging_token, *map(staged, opened))
    store = {**held(*records), **open_ones, **staged_under("sealed", *map(staged, sealed))}
    return Snapshot(store=store, objects=objects, now=NOW, clients=())


LINE = {"A": (30, "", "a"), "B": (9, "A", "ab"), "C": (1, "B", "c")}


@pytest.mark.parametrize(
    ("more", "tags", "options", "expected"),
    [
        ({"A": (30, "", "az")}, {"t": "A"}, {"tags": False}, "holds"),
        ({"A": (30, "", "az")}, {"t": "A"}, {"tags": True}, "violated"),
        # A dangling commit counts unless it is said not to, or has expired; a tagged one is not hypothetical.
        ({"D": (2, "", "d")}, {}, {}, "violated"),
        ({"D": (2, "", "d")}, {}, {"hypothetical": False}, "holds"),
        ({"D": (9, "", "d")}, {}, {}, "holds"),
        ({"D": (9, "", "d")}, {"t": "D"}, {"tags": True, "hypothetical": False}, "violated"),
    ],
)
def test_a_tag_counts_if_it_is_said_to_and_a_dangling_commit_unless_it_is_said_not_to(
    more: Mapping[str, tuple[float, str, str]], tags: Mapping[str, str], options: Mapping[str, bool], expected: str
) -> None:
    seen = snapshot({**LINE, **more}, {"main": "C"}, "abc", tags=tags)
    assert verdict(active_data_is_kept(WEEK, **options).check(seen)) == expected


@pytest.mark.parametrize(("name", "expected"), [("A", "holds"), ("B", "violated"), ("C", "violated")])
def test_no_active_commit_is_left_condemned_head_or_not(name: str, expected: str) -> None:
    seen = snapshot(LINE, {"main": "C"}, "abc")
    store = {**seen.store, (P, b"condemned/" + name.encode() + b"/run"): b""}
    invariant = active_is_not_condemned(WEEK, b"condemned/")
    for status, verdict_then in ((Status.OK, expected), (Status.FAIL, "untested")):
        run = CallView("mark", (REPOSITORY,), status)
        assert verdict(invariant.check(attrs.evolve(seen, store=store, clients=((run,),)))) == verdict_then


def test_what_lies_outside_the_namespace_does_not_count() -> None:
    seen = snapshot({"A": (1, "", ["ext://o"])}, {"main": "A"}, "")
    assert verdict(active_data_is_kept(WEEK).check(seen)) == "untested"


def test_what_is_staged_in_full_outside_the_namespace_does_not_count() -> None:
    seen = snapshot(LINE, {"main": "C"}, "abc", opened=["ext://o"])
    assert verdict(uncommitted_data_is_kept.check(seen)) == "untested"


def test_what_a_second_parent_has_is_to_be_kept_and_an_address_has_one_path() -> None:
    seen = snapshot({"A": (3, "", "a"), "B": (2, "", "b"), "M": (1, "B", "b")}, {"main": "M"}, "b")
    at = (P, b"commits/M")
    made = seen.store[at]
    assert isinstance(made, Commit)
    merged = attrs.evolve(made, parents=(CommitID("B"), CommitID("A")))
    twice = write([entry("b"), attrs.evolve(entry("b"), path=b"c")])
    objects = {object_address(NAMESPACE, name): StoredObject(content) for name, content in twice.objects.items()}
    shared = attrs.evolve(made, meta_range_id=twice.meta_range_id)
    for invariant, other in ((committed_data_is_kept, merged), (address_has_one_entry, shared)):
        assert verdict(invariant.check(seen)) != "violated"
        changed = attrs.evolve(seen, store={**seen.store, at: other}, objects={**seen.objects, **objects})
        assert verdict(invariant.check(changed)) == "violated"


def test_only_expired_leaves_out_what_is_active_or_staged() -> None:
    line = {**LINE, "A": (30, "", "axyz")}
    (view,) = repositories(snapshot(line, {"main": "C"}, "abcxyz", opened="x", sealed="y"))
    assert only_expired(view, WEEK, NOW) == {f"{NAMESPACE}/data/z"}


def test_a_metarange_that_is_gone_violates_it() -> None:
    seen = snapshot(LINE, {"main": "C"}, "abc")
    kept = {address: found for address, found in seen.objects.items() if "/data/" in address}
    bare = Snapshot(store=seen.store, objects=kept, now=NOW, clients=())
    assert verdict(active_data_is_kept(WEEK).check(bare)) == "violated"
