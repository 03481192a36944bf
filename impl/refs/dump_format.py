"""A dump of refs as bytes, and what makes one malformed. Pure.

Three objects, for branches, commits and tags: a header line, then each record's stored value, preceded by its length
in 8 bytes (big-endian), in byte order of their ids. A fourth, the manifest, is JSON that names them. All four lie under
the SHA-256 of their content, so that equal refs have equal dumps. Commits keep every bit of their stored value, also
what this codec does not know. Branches have no staging tokens: uncommitted changes are no part of refs.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final, TypeVar, cast

import attrs

from lakeproof.impl.codec import Undecodable, decode_branch, decode_commit, decode_tag, encode
from lakeproof.model import keys
from lakeproof.model.commits import ancestors
from lakeproof.model.identifiers import CommitID, StagingToken, StorageNamespace
from lakeproof.model.records import Branch, Commit, Tag

T = TypeVar("T")

FORMAT: Final = "lakeproof refs"
VERSION: Final = 1
PARTS: Final = ("branches", "commits", "tags")
_LENGTH_BYTES: Final = 8


class MalformedDump(ValueError):
    """A dump that cannot be restored: names the object, what is wrong with it, and the repair."""


@attrs.frozen
class StoredCommit:
    """A commit, and the bytes that it was read from."""

    commit: Commit
    value: bytes


@attrs.frozen(kw_only=True)
class Refs:
    """All that names a repository's history, each in byte order of the ids. `Branch.staging_token` is empty."""

    branches: tuple[Branch, ...]
    commits: tuple[StoredCommit, ...]
    tags: tuple[Tag, ...]


def object_id(content: bytes) -> str:
    """64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def dump_address(storage_namespace: StorageNamespace, part_id: str) -> str:
    """Where an object of a dump lies."""
    return f"{storage_namespace}/_lakefs/refs/{part_id}"


def without_tokens(branch: Branch) -> Branch:
    """A branch as a dump has it."""
    return attrs.evolve(branch, staging_token=StagingToken(""), sealed_tokens=())


def encode_refs(refs: Refs) -> dict[str, bytes]:
    """The content of each of `PARTS`."""
    return {
        "branches": _join("branches", map(encode, refs.branches)),
        "commits": _join("commits", (stored.value for stored in refs.commits)),
        "tags": _join("tags", map(encode, refs.tags)),
    }


def encode_manifest(ids: Mapping[str, str]) -> bytes:
    """Of the object of each of `PARTS`. One form per content."""
    fields = {"format": FORMAT, "version": VERSION, **ids}
    return json.dumps(fields, sort_keys=True, indent=1).encode() + b"\n"  # sorted: equal manifests have equal ids


def decode_manifest(content: bytes) -> dict[str, str]:
    """The ids of the objects by `PARTS`. Raises MalformedDump."""
    try:
        found: object = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise MalformedDump(f"no JSON: {error}; name the manifest of a dump") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise MalformedDump(f"no field format={FORMAT!r}; name the manifest of a dump")
    fields = cast("Mapping[str, object]", found)
    if fields.get("version") != VERSION:
        raise MalformedDump(
            f"version {fields.get('version')!r}: expected {VERSION}; restore with the program that dumped"
        )
    ids = {part: fields.get(part) for part in PARTS}
    if not all(isinstance(part_id, str) for part_id in ids.values()):
        raise MalformedDump(f"{ids}: expected three ids; dump again")
    return cast("dict[str, str]", ids)


def decode_part(part: str, content: bytes) -> tuple[bytes, ...]:
    """The values of one of `PARTS`. Raises MalformedDump."""
    header = _header(part)
    if not content.startswith(header):
        raise MalformedDump(f"begins with {content[: len(header)]!r}, expected {header!r}; dump again")
    values: list[bytes] = []
    at = len(header)
    while at < len(content):
        size = int.from_bytes(content[at : at + _LENGTH_BYTES])  # big-endian, which is the default
        start, at = at + _LENGTH_BYTES, at + _LENGTH_BYTES + size
        # A size that is cut off itself leads past the end, too.
        if at > len(content):
            raise MalformedDump(f"cut off in record {len(values)}; dump again")
        values.append(content[start:at])
    return tuple(values)


def decode_refs(values: Mapping[str, Sequence[bytes]]) -> Refs:
    """The refs of the values of all `PARTS`. Raises MalformedDump: no records, or `problems` has something to say."""
    refs = Refs(
        branches=_decode_values("branches", values["branches"], decode_branch),
        commits=_decode_values("commits", values["commits"], lambda value: StoredCommit(decode_commit(value), value)),
        tags=_decode_values("tags", values["tags"], decode_tag),
    )
    for problem in problems(refs):
        raise MalformedDump(f"{problem}; dump again")
    return refs


def problems(refs: Refs) -> Iterator[str]:
    """Why refs cannot be those of a repository: bad or repeated ids, what names a commit that is not there, cycles."""
    yield from _bad_ids("branch", [branch.branch_id for branch in refs.branches], keys.branch_key)
    yield from _bad_ids("commit", [stored.commit.commit_id for stored in refs.commits], keys.commit_key)
    yield from _bad_ids("tag", [tag.tag_id for tag in refs.tags], keys.tag_key)
    for branch in refs.branches:
        # Such a branch would find the staged entries of another repository.
        if branch.staging_token or branch.sealed_tokens:
            yield f"branch {branch.branch_id!r} has staging tokens; expected none in a dump"
    parents = {stored.commit.commit_id: stored.commit.parents for stored in refs.commits}
    named = [(f"branch {branch.branch_id!r}", branch.commit_id) for branch in refs.branches]
    named += [(f"tag {tag.tag_id!r}", tag.commit_id) for tag in refs.tags]
    named += [(f"commit {child!r}", parent) for child, listed in parents.items() for parent in listed]
    missing = [(what, commit_id) for what, commit_id in named if commit_id not in parents]
    for what, commit_id in missing:
        yield f"{what} names commit {commit_id!r}, which is not there"
    # A sorter would take an id that is only named for a commit without parents.
    if not missing:
        try:
            ancestors_first(parents)
        except CycleError as error:
            yield f"commits are their own ancestors: {' < '.join(map(repr, error.args[1]))}"


def _bad_ids(what: str, ids: Sequence[T], key_of: Callable[[T], bytes]) -> Iterator[str]:
    before = b""
    for found in ids:
        try:
            key = key_of(found)
        except keys.InvalidName as error:
            yield str(error)
        else:
            # One order, each id once: so equal refs have one encoding.
            if key <= before:
                yield f"{what} {found!r} stands behind {before.partition(b'/')[2]!r}; expected each once, in order"
            before = key


def ancestors_first(parents: Mapping[CommitID, Collection[CommitID]]) -> Iterable[CommitID]:
    """Every commit after all its parents. Raises graphlib.CycleError."""
    return tuple(TopologicalSorter(parents).static_order())


def with_generations(commits: Sequence[StoredCommit]) -> tuple[StoredCommit, ...]:
    """The same commits; those that have no generation (0) get theirs: one above the highest of their parents.

    These are encoded anew; all others keep their bytes. Raises graphlib.CycleError.
    """
    by_id = {stored.commit.commit_id: stored for stored in commits}
    if all(stored.commit.generation for stored in by_id.values()):
        return tuple(commits)
    # Parents first, so that theirs are known.
    for commit_id in ancestors_first({commit_id: stored.commit.parents for commit_id, stored in by_id.items()}):
        commit = by_id[commit_id].commit
        if not commit.generation:
            generation = 1 + max((by_id[parent].commit.generation for parent in commit.parents), default=0)
            commit = attrs.evolve(commit, generation=generation)
            by_id[commit_id] = StoredCommit(commit, encode(commit))
    return tuple(by_id.values())


def whole_histories(refs: Refs) -> Refs:
    """Refs without the commits that no ref leads to and whose ancestry is not all there.

    A scan that is no snapshot meets such commits: made while it went on, child ahead of it and parent behind.
    """
    parents = {stored.commit.commit_id: stored.commit.parents for stored in refs.commits}
    children: dict[CommitID, list[CommitID]] = {}
    for child, listed in parents.items():
        for parent in listed:
            children.setdefault(parent, []).append(child)
    # From each parent that is missing up to all its descendants.
    torn = ancestors(children.keys() - parents.keys(), lambda each: children.get(each, ()))
    if not torn:
        return refs
    heads = [*(branch.commit_id for branch in refs.branches), *(tag.commit_id for tag in refs.tags)]
    reached = ancestors(heads, lambda each: parents.get(each, ()))
    # What a ref reaches is kept even with a missing parent: it must be reported, not left out.
    kept = [stored for stored in refs.commits if stored.commit.commit_id in reached.union(parents.keys() - torn)]
    return attrs.evolve(refs, commits=tuple(kept))


def _header(part: str) -> bytes:
    return f"{FORMAT}: {part} {VERSION}\n".encode()


def _join(part: str, values: Iterable[bytes]) -> bytes:
    return _header(part) + b"".join(len(value).to_bytes(_LENGTH_BYTES) + value for value in values)


def _decode_values(part: str, values: Sequence[bytes], decode: Callable[[bytes], T]) -> tuple[T, ...]:
    found = []
    for number, value in enumerate(values):
        try:
            found.append(decode(value))
        except Undecodable as error:
            raise MalformedDump(f"{part}: record {number}: {error}; dump again") from error
    return tuple(found)
