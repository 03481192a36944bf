"""Words: what a reader is told of effects, replies and values."""

from lakeproof.impl.codec import encode
from lakeproof.model import keys, kv, objects
from lakeproof.model.identifiers import (
    CommitID,
    TagID,
)
from lakeproof.model.records import Tag
from lakeproof.search import describe

START = 1_700_000_000_000_000


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


def test_a_fingerprint_tells_apart_what_words_do_not() -> None:
    one, other = (kv.Set(b"r-1", b"tags/t", encode(Tag(tag_id=TagID(name), commit_id=CommitID("c")))) for name in "ab")
    assert describe.effect(one, START) == describe.effect(other, START)
    assert describe.exact(one, None, ()) != describe.exact(other, None, ())
    assert describe.exact(one, None, ()) == describe.exact(one, None, ())
