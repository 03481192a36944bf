"""Commit ids: the canonical form can be read back, so that no two commits share one."""

import hashlib

import attrs
from hypothesis import given
from hypothesis import strategies as st

from lakeproof.model.commits import FORMAT, canonical, content_address, with_content_id
from lakeproof.model.identifiers import CommitID, MetaRangeID
from lakeproof.model.records import Commit

words = st.text(alphabet="ab0é\0", max_size=4)
commits = st.builds(
    Commit,
    commit_id=words.map(CommitID),
    committer=words,
    message=words,
    creation_date=st.integers(-5, 10**16),
    meta_range_id=words.map(MetaRangeID),
    metadata=st.dictionaries(words, words, max_size=3).map(lambda found: tuple(sorted(found.items()))),
    parents=st.lists(words.map(CommitID), max_size=3).map(tuple),
    version=st.integers(0, 12),
    generation=st.integers(0, 120),
)
SAMPLE = Commit(
    commit_id=CommitID(""),
    committer="me",
    message="m",
    creation_date=7,
    meta_range_id=MetaRangeID("r"),
    metadata=(("k", "v"),),
    parents=(CommitID("p"), CommitID("q")),
    version=1,
    generation=3,
)


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


@given(commits, words)
def test_an_id_is_the_hash_of_all_but_itself(commit: Commit, name: str) -> None:
    assert content_address(commit) == hashlib.sha256(canonical(commit)).hexdigest()
    assert content_address(attrs.evolve(commit, commit_id=CommitID(name))) == content_address(commit)
    assert with_content_id(with_content_id(commit)) == with_content_id(commit)
    assert attrs.evolve(with_content_id(commit), commit_id=commit.commit_id) == commit


def test_a_known_commit_has_its_known_id() -> None:
    # By hand: printf of the format's name and of each field after its length, piped into sha256sum.
    fields = ["me", "m", "7", "r", "1", "3", "2", "p", "q", "2", "k", "v"]
    form = b"commit:v1" + b"".join(len(field).to_bytes(8) + field.encode() for field in fields)
    assert canonical(SAMPLE) == form
    assert content_address(SAMPLE) == hashlib.sha256(form).hexdigest()
