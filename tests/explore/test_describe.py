"""Words: what a reader is told of effects, replies and values."""

import pytest

from lakeproof.explore import describe
from lakeproof.impl.codec import encode
from lakeproof.impl.effects import Effect, Now
from lakeproof.model import keys, kv, objects
from lakeproof.model.identifiers import (
    BranchID,
    CommitID,
    InstanceUID,
    MetaRangeID,
    RepositoryID,
    StagingToken,
    StorageNamespace,
    TagID,
)
from lakeproof.model.records import Branch, CleanupRecord, Commit, Record, Repository, RepositoryState, StagedEntry, Tag
from lakeproof.model.snapshot import CallView, Status

START = 1_700_000_000_000_000


def repository(state: RepositoryState = RepositoryState.ACTIVE, *, bare: bool = False) -> Repository:
    return Repository(
        repository_id=RepositoryID("r"),
        storage_namespace=StorageNamespace("mem://r"),
        default_branch_id=BranchID("main"),
        creation_date=START,
        state=state,
        instance_uid=InstanceUID("a1"),
        bare=bare,
    )


BRANCH = Branch(branch_id=BranchID("main"), commit_id=CommitID("c1"), staging_token=StagingToken("t1"))
SEALED = Branch(
    branch_id=BranchID("main"),
    commit_id=CommitID("c1"),
    staging_token=StagingToken("t2"),
    sealed_tokens=(StagingToken("t1"), StagingToken("t0")),
    hidden=True,
)
COMMIT = Commit(
    commit_id=CommitID("c2"),
    committer="x",
    message="y",
    creation_date=START,
    meta_range_id=MetaRangeID("m"),
    parents=(CommitID("c1"),),
)
ENTRY = encode(repository())


@pytest.mark.parametrize(
    ("op", "words"),
    [
        (None, ""),
        (Now(), "now"),
        (kv.Get(keys.GRAVELER, b"repos/r"), "get repos/r"),
        (kv.Get(b"r-a1", b"branches/main"), "get r-a1/branches/main"),
        (kv.Set(keys.GRAVELER, b"repos/r", ENTRY), "set repos/r = active a1"),
        (kv.Set(b"p", b"k", b""), "set p/k = ''"),
        (kv.SetIf(keys.GRAVELER, b"repos/r", ENTRY, None), "set_if repos/r = active a1, if absent"),
        (kv.SetIf(b"p", b"k", b"2", kv.EXISTS), "set_if p/k = 2, if present"),
        (kv.SetIf(b"p", b"k", b"2", b"1"), "set_if p/k = 2, if still 1"),
        (kv.Delete(b"p", b"k"), "delete p/k"),
        (kv.DeleteIf(b"p", b"k", b"1"), "delete_if p/k, if still 1"),
        (kv.ScanBatch(b"p"), "scan p/"),
        (kv.ScanBatch(b"p", b"k\0", 2), r"scan p/, from k\x00, at most 2"),
        (objects.Put("o/1", b"data"), "put object o/1 = data"),
        (objects.GetObject("o/1"), "get object o/1"),
        (objects.HeadObject("o/1"), "head object o/1"),
        (objects.Copy("o/1", "o/2"), "copy object o/2 = that of o/1"),
        (objects.DeleteObject("o/1"), "delete object o/1"),
        (objects.ListObjects("o/", "o/1", 3), "list object o/, after o/1, at most 3"),
    ],
)
def test_an_effect(op: Effect | None, words: str) -> None:
    assert str(describe.effect(op, START)) == words


@pytest.mark.parametrize(
    ("op", "answer", "words"),
    [
        (None, None, ""),
        (kv.Set(b"p", b"k", b"1"), None, "ok"),
        (kv.Get(keys.GRAVELER, b"repos/r"), kv.ValueWithPredicate(ENTRY, ENTRY), "active a1"),
        (kv.Get(b"p", b"k"), kv.NotFound(), "not found"),
        (kv.SetIf(b"p", b"k", b"1", None), kv.PredicateFailed(), "predicate failed"),
        (kv.Set(b"p", b"k", b"1"), kv.OutcomeUnknown(), "no answer"),
        (kv.Get(b"p", b"k"), kv.Refused(), "refused"),
        (kv.ScanBatch(b"p"), kv.ScanInterrupted(), "broke off"),
        (kv.ScanBatch(b"p"), kv.Batch((), more=False), "nothing"),
        (
            kv.ScanBatch(b"p"),
            kv.Batch((kv.Entry(b"a", b"1"), kv.Entry(b"b", b"2")), more=True),
            "a (1), b (2); and more",
        ),
        (kv.ScanBatch(keys.GRAVELER), kv.Batch((kv.Entry(b"repos/r", ENTRY),), more=False), "repos/r (active a1)"),
        (kv.ScanBatch(b"r-a1"), kv.Batch((kv.Entry(b"branches/main", encode(BRANCH)),), more=False), "branches/main"),
        (kv.Get(b"", b"k"), kv.MissingPartition("name one"), "MissingPartition('name one')"),
        (Now(), START, "the start"),
        (Now(), START + 121_000_000, "2 min 1 s after the start"),
        (objects.GetObject("o"), b"data", "data"),
        (objects.GetObject("o"), objects.ObjectNotFound(), "not found"),
        (objects.HeadObject("o"), objects.Head("o", 3), "3 bytes"),
        (objects.ListObjects(), objects.Page((objects.Head("o", 3),), more=False), "o"),
        (objects.ListObjects(), objects.Page((), more=True), "nothing; and more"),
    ],
)
def test_a_reply(op: Effect | None, answer: object, words: str) -> None:
    assert describe.reply(op, answer, START) == words


@pytest.mark.parametrize(
    ("address", "record", "words"),
    [
        ((keys.GRAVELER, b"repos/r"), repository(RepositoryState.DELETING), "deleting a1"),
        ((keys.GRAVELER, b"repos/r"), repository(bare=True), "active a1 (bare)"),
        ((b"r-a1", b"branches/main"), BRANCH, "at c1, staging t1"),
        ((b"r-a1", b"branches/main"), SEALED, "at c1, staging t2, sealed t1 t0, hidden"),
        ((b"r-a1", b"commits/c2"), COMMIT, "commit c2 after c1"),
        ((b"r-a1", b"tags/t"), Tag(tag_id=TagID("t"), commit_id=CommitID("c1")), "at c1"),
        ((b"t1", b"key/a"), StagedEntry(key=b"a", identity=b"i", data=b"d"), "entry i"),
        ((b"t1", b"key/a"), StagedEntry(key=b"a", identity=b"i", data=None), "tombstone"),
        (
            (keys.DELETED, b"repo/r/a1"),
            CleanupRecord(repository_id=RepositoryID("r"), instance_uid=InstanceUID("a1")),
            "instance a1 is to be cleaned",
        ),
    ],
)
def test_a_record(address: kv.Address, record: Record, words: str) -> None:
    assert describe.value(*address, encode(record)) == words


def test_bytes_that_are_no_record_where_one_should_be_are_shown_as_bytes() -> None:
    assert describe.value(keys.GRAVELER, b"repos/r", b"\xff\xff") == r"\xff\xff"


def test_nothing_that_a_terminal_obeys_is_ever_shown() -> None:
    evil = b"\x1b[2J\r\n\x07ok\xc2\x9b"
    for shown in (
        describe.text(evil),
        describe.place(evil, evil),
        describe.brief(evil.decode()),
        describe.printable(evil.decode()),
        str(describe.effect(objects.Put(evil.decode(), evil), START)),
    ):
        assert shown.isprintable()
        assert "ok" in shown


def test_long_things_are_cut() -> None:
    assert describe.text(b"x" * 100) == "x" * 40 + "... (60 more bytes)"
    assert len(describe.brief("x" * 1000)) == 80


def test_addresses_in_memory_are_left_out() -> None:
    assert describe.brief(object()) == "<object object>"


@pytest.mark.parametrize(
    ("microseconds", "words"),
    [
        (0, "0 us"),
        (999_999, "999999 us"),
        (1_000_000, "1 s"),
        (1_500_000, "1.5 s"),
        (121_000_000, "2 min 1 s"),
        (120_000_000, "2 min"),
        (-121_000_000, "-2 min 1 s"),
    ],
)
def test_a_span(microseconds: int, words: str) -> None:
    assert describe.span(microseconds) == words


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (CallView("f", ("r",), Status.OK), "f('r') succeeds"),
        (CallView("f", (), Status.OK, value=repository()), "f() returns active a1"),
        (CallView("f", (), Status.OK, value=(repository(), BRANCH)), "f() returns (active a1, at c1, staging t1)"),
        (CallView("f", (1, b"x"), Status.OK, value=0), "f(1, b'x') returns 0"),
        (CallView("f", (), Status.FAIL, error=kv.Refused("no")), "f() fails: Refused('no')"),
        (CallView("f", (), Status.INFO, error=kv.OutcomeUnknown()), "f() has an unknown outcome: OutcomeUnknown()"),
    ],
)
def test_how_a_call_ended(call: CallView, words: str) -> None:
    assert describe.ended(call) == words


def test_a_fingerprint_tells_apart_what_words_do_not() -> None:
    one, other = (kv.Set(b"r-1", b"tags/t", encode(Tag(tag_id=TagID(name), commit_id=CommitID("c")))) for name in "ab")
    assert describe.effect(one, START) == describe.effect(other, START)
    assert describe.exact(one, None, ()) != describe.exact(other, None, ())
    assert describe.exact(one, None, ()) == describe.exact(one, None, ())
