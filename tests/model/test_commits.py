"""Commit ids: the canonical form can be read back, so that no two commits share one."""

import hashlib

import attrs
from hypothesis import given

from lakeproof.model.commits import FORMAT, canonical, content_address, with_content_id
from lakeproof.model.identifiers import CommitID, MetaRangeID
from lakeproof.model.records import Commit
from tests.impl.test_codec import COMMIT, commits, text


def read_back(form: bytes) -> Commit:
    """The commit of a canonical form, all but its id: fields that say how long they are, after the format's name."""
    assert form.startswith(FORMAT)
    rest, fields = form.removeprefix(FORMAT), list[str]()
    while rest:
        end = 8 + int.from_bytes(rest[:8])
        assert len(rest) >= end
        fields.append(rest[8:end].decode())
        rest = rest[end:]
    committer, message, date, meta_range_id, version, generation, *counted = fields
    parents = counted[1 : 1 + int(counted[0])]
    pairs = counted[1 + len(parents) :]
    assert int(pairs[0]) == len(pairs) - 1
    return Commit(
        commit_id=CommitID(""),
        committer=committer,
        message=message,
        creation_date=int(date),
        meta_range_id=MetaRangeID(meta_range_id),
        metadata=tuple(zip(pairs[1::2], pairs[2::2], strict=True)),
        parents=tuple(map(CommitID, parents)),
        version=int(version),
        generation=int(generation),
    )


@given(commits)
def test_a_canonical_form_can_be_read_back(commit: Commit) -> None:
    assert read_back(canonical(commit)) == attrs.evolve(commit, commit_id=CommitID(""))


@given(commits, text)
def test_an_id_is_the_hash_of_all_but_itself(commit: Commit, name: str) -> None:
    assert content_address(commit) == hashlib.sha256(canonical(commit)).hexdigest()
    assert content_address(attrs.evolve(commit, commit_id=CommitID(name))) == content_address(commit)
    assert with_content_id(with_content_id(commit)) == with_content_id(commit)
    assert attrs.evolve(with_content_id(commit), commit_id=commit.commit_id) == commit


def test_a_known_commit_has_its_known_form() -> None:
    fields = ["me", "hi", "1000000", "m", "1", "300", "2", "p", "q", "4", "a", "1", "b", "2"]
    assert canonical(COMMIT) == b"commit:v1" + b"".join(len(each).to_bytes(8) + each.encode() for each in fields)
