"""Violations, planted on purpose: one at a time, each so that it breaks no other rule; and legal garbage. Pure.

One cannot: on a cycle of commits some generation is wrong, and so `generation-is-right` is listed for it as well.
Planted commits are on no branch and have no metarange, so that nothing else comes to depend on them. Objects that are
lost, or shared, are picked from the listing, evenly, by arithmetic on their numbers.

Example: three objects of main commits are to be lost, of 20 that could be. `_nth` picks numbers 6, 13 and 19; in two
repositories with ten each these are 6 of the first one, and 3 and 9 of the second one. Number n there is brought by the
main commit 2n + 2: of the commits 14; 8 and 20. `find_lost` has the last object of each of these three, which the
listing leaves out. The commits 2n + 1 are for objects that are shared.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np

from lakeproof.model import keys
from lakeproof.model.catalog import ObjectEntry
from lakeproof.model.identifiers import CommitID, TagID
from lakeproof.model.records import RepositoryState
from lakeproof.plain_json import decode
from lakeproof.spark_checks.checks.catalogue import BY_ID
from lakeproof.spark_checks.generate.plan import SHOWN_PERIOD, Hashes, Repository, repositories
from lakeproof.spark_checks.generate.records import (
    KV,
    ListedObject,
    branch,
    cleanup,
    commit,
    kv,
    repository,
    staged_entry,
    tag,
)
from lakeproof.spark_checks.generate.sizes import DAY, Sizes
from lakeproof.spark_checks.generate.sound import address
from lakeproof.words import Unusable

PLANTED_MAX: Final = 1_000_000
"""Of one id."""
GARBAGE: Final = "garbage"
"""Not the id of a violation: what is left of a deleted instance."""
AGAIN: Final = "address-has-one-entry, of a committed object"
_STATES: Final = {2: RepositoryState.DELETING, 4: RepositoryState.DELETED, 5: RepositoryState.ACTIVE}


class Finding(NamedTuple):
    """A line of the list of what was planted."""

    id: str
    subject: str
    evidence: str


Made = Iterator[KV | ListedObject | Finding]


def parse(text: str, where: str) -> dict[str, int]:
    """What a violation file says: counts by id. Raises Unusable."""
    try:
        found = decode(text)
    except (ValueError, RecursionError) as error:
        raise Unusable(f'{where}: no JSON ({error}); write an object such as {{"head-exists": 3}}') from None
    if not isinstance(found, dict):
        raise Unusable(f'{where}: {str(found)[:40]}, expected an object such as {{"head-exists": 3}}; write one')
    for name, number in found.items():
        if name not in BY_ID:
            raise Unusable(f"{where}: {name!r}, expected one of {', '.join(BY_ID)}; correct its spelling")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= PLANTED_MAX:
            raise Unusable(f"{where}: {name}: {number!r}, expected a whole number from 0 to {PLANTED_MAX}; write one")
    return dict(found)


def _found_record(name: str, record: KV, evidence: str) -> Made:
    """A record that is the subject of a finding; see `lakeproof.spark_checks.findings.at`."""
    yield record
    yield Finding(name, f"{record.partition.decode()} {record.key.decode()}", evidence)


def _token(repo: Repository, kind: str, i: int, uid: str | None = None) -> str:
    """Of its own. ``uid``: whose it says that it is."""
    return f"{repo.id}-{kind}-{i}:{uid or repo.uid}.{repo.name('token ' + kind, i)}"


def _commit(
    repo: Repository,
    kind: str,
    i: int,
    parents: tuple[str, ...] | None = None,
    generation: int = 2,
    meta_range_id: str = "",
    instance: str = "",
) -> KV:
    """A commit on the first one of its repository, well-formed but for the given fields."""
    made = commit(
        repo.content_id(kind, i),
        repo.sizes.now,
        parents=(repo.commit_id(0),) if parents is None else parents,
        generation=generation,
        meta_range_id=meta_range_id,
        instance=instance,
    )
    return kv(repo.home, made)


def _staged_entry(repo: Repository, token: str, path: str, where: str) -> KV:
    return kv(token, staged_entry(path, ObjectEntry(address=where, size_bytes=1, last_modified=repo.sizes.now - DAY)))


def _object(repo: Repository, where: str) -> ListedObject:
    return ListedObject(repo.namespace, where, 1, repo.sizes.now - DAY)


def _garbage(i: int, repo: Repository) -> Made:
    """What is left of repositories that were deleted: legal, and unreachable. Of every six instances, in turn: (0) its
    id was created anew, and a cleanup record leads to what is left; (1) its id is free, and a cleanup record leads
    there; (2) the entry is marked as deleting, and leads there; (3) nothing is left but the cleanup record; (4) nothing
    but the tombstone of `lakeproof.impl.repositories.hardened`; (5) no garbage but a bare repository."""
    kind = i % 6
    # Kind 0 shares its id with a repository that is accessible: only the uid tells them apart.
    id_, uid = (f"gone-{i}" if kind else repo.id), repo.name("gone", i)
    date = repo.sizes.now - DAY - repo.below(300 * DAY, "gone", i)
    if kind in _STATES:
        yield kv(keys.GRAVELER, repository(id_, uid, date, _STATES[kind], bare=kind == 5))
    if kind in (0, 1, 3):
        yield kv(keys.DELETED, cleanup(id_, uid))
    if kind > 2:
        return
    home, ids = f"{id_}-{uid}", [repo.content_id(f"gone {at}", i) for at in range(3)]
    yield kv(home, commit(ids[0], date, instance=uid))
    for at in (1, 2):
        yield kv(home, commit(ids[at], date + at, parents=(ids[at - 1],), generation=at + 1))
    yield kv(home, branch("main", ids[2], f"{id_}-main:{uid}.{repo.name('gone token', i)}"))
    yield kv(home, tag("v0", ids[0]))


def _zombie(i: int, repo: Repository) -> Made:
    """A commit, and every other time a branch, of an instance that was deleted; a cleanup record leads to it."""
    uid = repo.name("zombie", i)
    made = _commit(repo, "zombie", i, instance=uid)
    if i % 2:
        made = kv(repo.home, branch(f"zombie-{i}", repo.commit_id(0), _token(repo, "zombie", i, uid)))
    yield from _found_record("no-reachable-zombie", made, f"it belongs to instance {uid}")
    # Else it would be garbage that nothing leads to, another violation.
    yield kv(keys.DELETED, cleanup(repo.id, uid))


def _lost_commit(i: int, repo: Repository) -> Made:
    """A commit in a partition that no entry and no cleanup record leads to."""
    uid = repo.name("lost", i)
    made = kv(f"lost-{i}-{uid}", commit(repo.content_id("lost", i), repo.sizes.now, instance=uid))
    return _found_record("garbage-is-reclaimable", made, "nothing leads to its partition")


def _incomplete(i: int, repo: Repository) -> Made:
    """A repository without its default branch."""
    id_, uid = f"incomplete-{i}", repo.name("incomplete", i)
    yield kv(keys.GRAVELER, repository(id_, uid, repo.sizes.now))
    yield Finding("active-is-complete", f"{id_}-{uid}", "its default branch is not there")


def _headless(i: int, repo: Repository) -> Made:
    """A tag, and every other time a branch, that names a commit which is not there."""
    name, missing = f"headless-{i}", repo.content_id("missing head", i)
    made = branch(name, missing, _token(repo, "headless", i)) if i % 2 else tag(name, missing)
    return _found_record("head-exists", kv(repo.home, made), f"there is no commit {missing}")


def _orphan(i: int, repo: Repository) -> Made:
    """One of two parents is not there: the second one, or (every other time) the first."""
    # One parent is there, so that the generation of 2 is right.
    both = (repo.commit_id(0), missing := repo.content_id("missing parent", i))
    made = _commit(repo, "orphan", i, both[::-1] if i % 2 else both)
    return _found_record("parents-exist", made, f"there is no parent {missing}")


def _without_metarange(i: int, repo: Repository) -> Made:
    missing = repo.content_id("missing metarange", i)
    made = _commit(repo, "without metarange", i, meta_range_id=missing)
    return _found_record("meta-range-exists", made, f"there is no metarange {missing}")


def _wrong_generation(i: int, repo: Repository) -> Made:
    # Too small, too large by one, and far off.
    generation = (1, 3, 4, 1_000_000)[i % 4]
    made = _commit(repo, "generation", i, generation=generation)
    return _found_record("generation-is-right", made, f"it is {generation}, and its parent's is 1")


def _older(i: int, repo: Repository) -> Made:
    """Dated when the repository was created; its parent is later."""
    # Commit 0 is dated at its generation's step, which is after the creation of the repository.
    made = commit(repo.content_id("older", i), repo.created - i, parents=(repo.commit_id(0),), generation=2)
    return _found_record("child-is-not-older", kv(repo.home, made), "it is dated before its parent")


def _cycle(i: int, repo: Repository, count: int) -> Made:
    """Pairs that are each other's parent; the last one of an odd number is its own."""
    # Even and odd make a pair; the last of an odd number has no partner but itself.
    partner = i - 1 if i % 2 else min(i + 1, count - 1)
    made = _commit(repo, "cycle", i, (repo.content_id("cycle", partner),), 1 + i % 2)
    yield from _found_record("commits-have-no-cycle", made, "it is its own ancestor")
    # Generations 1 and 2 in turn: that of the odd one fits its parent, that of the even one cannot.
    if i % 2 == 0:
        found = _found_record("generation-is-right", made, "its parent is its child: no generation fits")
        yield from (each for each in found if isinstance(each, Finding))


def _shared_token(i: int, repo: Repository) -> Made:
    """Two branches with one sealed token, under which nothing is staged."""
    shared, names = _token(repo, "shared", i), (f"sharing-{i}", f"sharing-too-{i}")
    for each in names:
        yield kv(repo.home, branch(each, repo.commit_id(0), _token(repo, each, i), (shared,)))
    # One finding for both branches: the token is the subject.
    yield Finding("token-has-one-owner", shared, f"two branches have it: {', '.join(names)}")


def _unowned_entries(i: int, repo: Repository) -> Made:
    """Entries under a token that no branch has: one, or (every other time) two."""
    token = _token(repo, "unowned", i)
    yield Finding("staged-has-owner", token, "no branch has it")
    for at in range(1 + i % 2):
        where = f"data/{repo.name(f'unowned {at}', i)}"
        yield _staged_entry(repo, token, f"unowned/{at}", where)
        yield _object(repo, where)


def _endangered_repository(i: int, repo: Repository) -> Made:
    """A cleanup record for a repository that is accessible."""
    return _found_record(
        "cleanup-spares-live", kv(keys.DELETED, cleanup(repo.id, repo.uid)), "its instance is accessible"
    )


def _shared_address(i: int, repo: Repository) -> Made:
    """Two entries of the default branch with one address."""
    where = f"data/{repo.name('shared', i)}"
    for each in ("one", "other"):
        yield _staged_entry(repo, repo.token(0), f"shared/{each}/{i}", where)
    yield _object(repo, where)
    yield Finding("address-has-one-entry", f"{repo.namespace}/{where}", "two staged entries have it")


def _unknown_key(i: int, repo: Repository) -> Made:
    """In the partition of a repository, and every other time in that of all repositories."""
    made = KV(keys.GRAVELER if i % 2 else repo.home.encode(), f"unknown/{i}".encode(), b"\n\1x")
    return _found_record("key-is-known", made, "no record has such a key")


def _misnamed_tag(i: int, repo: Repository) -> Made:
    """A tag whose key says one id and whose record another."""
    other = kv(repo.home, tag(f"other-{i}", repo.commit_id(0)))
    made = other._replace(key=keys.tag_key(TagID(f"misnamed-{i}")))
    return _found_record("key-names-record", made, f"the record says other-{i}")


def _undecodable(i: int, repo: Repository) -> Made:
    """The value of a tag, and every other time of a commit, that is no message."""
    key, value = keys.tag_key(TagID(f"undecodable-{i}")), b"\xff\xff\xff"
    if i % 2:
        key, value = keys.commit_key(CommitID(repo.content_id("undecodable", i))), b"\n\x40cut off"
    return _found_record("record-is-decodable", KV(repo.home.encode(), key, value), "its value is no message")


PLANTS: Final[Mapping[str, Callable[[int, Repository], Made]]] = {
    GARBAGE: _garbage,
    "no-reachable-zombie": _zombie,
    "garbage-is-reclaimable": _lost_commit,
    "active-is-complete": _incomplete,
    "head-exists": _headless,
    "parents-exist": _orphan,
    "meta-range-exists": _without_metarange,
    "generation-is-right": _wrong_generation,
    "child-is-not-older": _older,
    "token-has-one-owner": _shared_token,
    "staged-has-owner": _unowned_entries,
    "cleanup-spares-live": _endangered_repository,
    "address-has-one-entry": _shared_address,
    "key-is-known": _unknown_key,
    "key-names-record": _misnamed_tag,
    "record-is-decodable": _undecodable,
}
"""What is made from a number and a repository alone."""


LOST: Final[Mapping[str, str]] = {
    "committed-data-is-kept": "a commit of main refers to it",
    "staged-data-is-kept": "a branch shows it as staged",
}
"""Of which an object is missing, and nothing more is made."""


def plant(name: str, i: int, count: int, sizes: Sizes) -> Made:
    """Number ``i`` of so many of an id; they are dealt out to the repositories in turn."""
    among = repositories(sizes)
    match name:
        case _ if name in LOST:
            repo, number = _lose(name, i, count, sizes)
            evidence = f"{LOST[name]}, and it is not there"
            yield Finding(name, f"{repo.namespace}/{address(repo, number)}", evidence)
        case _ if name == AGAIN:
            repo, c = _pair(sizes, i, count, 1)
            where = address(repo, repo.objects(c)[0])
            yield _staged_entry(repo, repo.token(0), f"shared/again/{where}", where)
            evidence = "a committed entry has it, and a staged one of another path"
            yield Finding("address-has-one-entry", f"{repo.namespace}/{where}", evidence)
        case "commits-have-no-cycle":
            yield from _cycle(i, among[i // 2 % len(among)], count)
        case _:
            yield from PLANTS[name](i, among[i % len(among)])


def numbers(sizes: Sizes, counts: Mapping[str, int]) -> dict[str, int]:
    """How many are made of what, garbage included. Raises Unusable: there is no room for so many."""
    room = {
        "cleanup-spares-live": (sizes.repositories, "--repositories"),
        "committed-data-is-kept": (_all(sizes, "bringing"), "--commits or --objects"),
        "staged-data-is-kept": (_all(sizes, "shown"), "--staged"),
    }
    for name, (most, more) in room.items():
        if counts.get(name, 0) > most:
            raise Unusable(f"{name}: {counts[name]}, and at most {most} fit; plant fewer, or choose more {more}")
    shared = counts.get("address-has-one-entry", 0)
    # Half of them between a committed and a staged entry, as far as there are such commits.
    again = min(shared // 2, _all(sizes, "bringing"))
    return {GARBAGE: sizes.deleted, **counts, "address-has-one-entry": shared - again, AGAIN: again}


def find_lost(sizes: Sizes, counts: Mapping[str, int]) -> Hashes:
    """The objects that are missing in the listing, by their numbers among those of all repositories."""
    found = (_lose(name, i, count, sizes)[1] for name in LOST if (count := counts.get(name, 0)) for i in range(count))
    return np.fromiter(found, np.uint64)


def _lose(name: str, i: int, count: int, sizes: Sizes) -> tuple[Repository, int]:
    """The i-th of so many objects that are missing: its repository, and its number."""
    if name == "committed-data-is-kept":
        repo, c = _pair(sizes, i, count, 0)
        return repo, repo.objects(c)[-1]
    repo, at = _nth(sizes, i, count, "shown")
    rounds, branch_number = divmod(at, repo.branches)
    # Of every six entries a branch, the first is under its open token: nothing hides it.
    return repo, repo.first_staged + rounds * repo.branches * SHOWN_PERIOD + branch_number


def _pair(sizes: Sizes, i: int, count: int, odd: int) -> tuple[Repository, int]:
    """The commit of main that brought the i-th of the objects that are lost, or (odd) shared."""
    repo, at = _nth(sizes, i, count, "bringing")
    return repo, repo.history.main(2 * at + 2 - odd)


def _all(sizes: Sizes, what: str) -> int:
    last = repositories(sizes)[-1]
    return int(getattr(last, f"first_{what}") + getattr(last, what))


def _nth(sizes: Sizes, i: int, count: int, what: str) -> tuple[Repository, int]:
    """The i-th of so many numbers that lie evenly among all: its repository, and which it is there."""
    # The first number whose share, (number + 1) * count / total, reaches i + 1.
    number = -(-(i + 1) * _all(sizes, what) // count) - 1
    among = repositories(sizes)
    repo = among[bisect_right(among, number, key=lambda each: int(getattr(each, f"first_{what}"))) - 1]
    return repo, number - getattr(repo, f"first_{what}")
