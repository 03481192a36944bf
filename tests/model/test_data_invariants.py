"""A link of an issued address is a change like an upload, and it overwrites one.

What is kept, staged, referred to once or garbage is asked in every race of `lakeproof verify 'hard-delete/*'`.
"""

from collections.abc import Hashable, Mapping

import pytest

from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.invariants import data
from lakeproof.model.invariants.retention import expired_data_is_reclaimed
from lakeproof.model.objects import StoredObject, etag
from lakeproof.model.records import StagedEntry
from lakeproof.model.retention import Rules
from lakeproof.model.snapshot import Outcome, Snapshot, Status
from tests.impl.records import REPOSITORY, held, staged_under
from tests.model.test_branch_invariants import HEAD, History, branch, verdict

LINKED = History(data.acknowledged_upload_is_kept).does(0, "link_physical_address", b"x", "grant", b"g")


def snapshot(*there: str, x: str | None = "", token: str = "open") -> Snapshot:
    """A branch of these objects; ``x``: what is staged there, None for a tombstone, empty for nothing."""
    store = held(REPOSITORY, HEAD, branch("b", "open", HEAD.commit_id, "sealed"))
    if x != "":
        entry = x and encode_object_entry(ObjectEntry(address=f"data/{x}", e_tag=etag(x.encode())))
        staged = StagedEntry(key=b"x", identity=identity_of(entry) if entry else b"", data=entry or None)
        store |= staged_under(token, staged)
    objects: Mapping[str, StoredObject] = {f"mem://r/data/{name}": StoredObject(name.encode()) for name in there}
    return Snapshot(store=store, objects=objects, now=0, clients=())


def test_it_is_kept_while_the_branch_shows_its_content() -> None:
    assert verdict(LINKED.at_end(snapshot("g", x="g"))) == "holds"


@pytest.mark.parametrize("shown", ["", "a", None])
def test_it_is_lost_where_the_branch_shows_another_or_none(shown: str | None) -> None:
    assert verdict(LINKED.at_end(snapshot("a", x=shown))) == "violated"


@pytest.mark.parametrize("token", ["open", "sealed"])
def test_what_is_staged_under_a_token_of_a_branch_is_kept(token: str) -> None:
    for there, expected in (("g", "holds"), ("a", "violated")):
        assert verdict(data.staged_data_is_kept.check(snapshot(there, x="g", token=token))) == expected


@pytest.mark.parametrize("later", [("link_physical_address", b"x", "grant", b"g"), ("restore_object", b"x", "c0")])
def test_of_an_upload_that_it_overwrites_nothing_is_asked(later: tuple[str, *tuple[Hashable, ...]]) -> None:
    history = History(data.acknowledged_upload_is_kept).does(0, "upload_object", b"x", b"a")
    assert verdict(history.does(1, *later).at_end(snapshot("g", x="g"))) != "violated"


def test_a_job_that_fails_reclaims_nothing() -> None:
    failed = Outcome(Status.FAIL, error=ValueError("no"))
    for check in (data.garbage_is_reclaimed, expired_data_is_reclaimed(Rules(7))):
        assert verdict(check((failed,), snapshot())) == "violated"
        assert verdict(check((Outcome(Status.OK),), snapshot())) == "holds"
