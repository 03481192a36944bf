"""Violations, planted on purpose: one at a time, each so that it breaks no other rule. Pure.

One cannot: on a cycle of commits some generation is wrong, and so `generation-is-right` is listed for it as well.
Planted commits are on no branch and have no metarange, so that nothing else comes to depend on them.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from lakeproof.model import keys
from lakeproof.model.identifiers import CommitID, TagID
from lakeproof.spark_checks.findings import IDS
from lakeproof.spark_checks.generate import garbage
from lakeproof.spark_checks.generate.planted import (
    Object,
    Place,
    Planted,
    branch,
    cleanup,
    commit,
    repository,
    staged,
    tag,
)
from lakeproof.spark_checks.generate.sizes import DAY
from lakeproof.words import Unusable

PLANTED_MAX: Final = 1_000_000
"""Of one id."""
GARBAGE: Final = "garbage"
"""Not the id of a violation: what is left of a deleted instance."""
AGAIN: Final = "address-has-one-entry, of a committed object"


class _Twice(ValueError):
    """Of a field's name."""


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    for name, times in Counter(name for name, _ in pairs).items():
        if times > 1:
            raise _Twice(name)
    return dict(pairs)


def parse(text: str, where: str) -> dict[str, int]:
    """What a violation file says: counts by id. Raises Unusable."""
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except _Twice as error:
        raise Unusable(f"{where}: {error.args[0]!r} comes twice, expected each id once; leave one out") from None
    except ValueError as error:
        raise Unusable(f'{where}: no JSON ({error}); write an object such as {{"head-exists": 3}}') from None
    if not isinstance(found, dict):
        raise Unusable(f'{where}: {str(found)[:40]}, expected an object such as {{"head-exists": 3}}; write one')
    for name, number in found.items():
        if name not in IDS:
            raise Unusable(f"{where}: {name!r}, expected one of {', '.join(IDS)}; correct its spelling")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= PLANTED_MAX:
            raise Unusable(f"{where}: {name}: {number!r}, expected a whole number from 0 to {PLANTED_MAX}; write one")
    return dict(found)


def _zombie(i: int, place: Place) -> Planted:
    """A commit, and every other time a branch, of an instance that was deleted; a cleanup record leads to it."""
    uid = place.name("zombie", i)
    if i % 2:
        made = branch(place.home, f"zombie-{i}", place.first_commit, place.token("zombie", i, uid))
    else:
        made = _commit(i, place, "zombie", instance=uid)
    made = made.is_found("no-reachable-zombie", f"it belongs to instance {uid}")
    return made + cleanup(place.repository_id, uid)


def _lost(i: int, place: Place) -> Planted:
    """A commit in a partition that no entry and no cleanup record leads to."""
    uid = place.name("lost", i)
    made = commit(f"lost-{i}-{uid}", place.content_id("lost", i), place.now, generation=1, instance=uid)
    return made.is_found("garbage-is-reclaimable", "nothing leads to its partition")


def _incomplete(i: int, place: Place) -> Planted:
    """A repository without its default branch."""
    repository_id, uid = f"incomplete-{i}", place.name("incomplete", i)
    made = repository(repository_id, uid, place.now)
    return made + Planted.finding("active-is-complete", f"{repository_id}-{uid}", "its default branch is not there")


def _headless(i: int, place: Place) -> Planted:
    """A tag, and every other time a branch, that names a commit which is not there."""
    name, missing = f"headless-{i}", place.content_id("missing head", i)
    on_branch = branch(place.home, name, missing, place.token("headless", i))
    made = on_branch if i % 2 else tag(place.home, name, missing)
    return made.is_found("head-exists", f"there is no commit {missing}")


def _orphan(i: int, place: Place) -> Planted:
    """One of two parents is not there: the second one, or (every other time) the first."""
    missing = place.content_id("missing parent", i)
    both = (missing, place.first_commit) if i % 2 else (place.first_commit, missing)
    return _commit(i, place, "orphan", parents=both).is_found("parents-exist", f"there is no parent {missing}")


def _without_metarange(i: int, place: Place) -> Planted:
    missing = place.content_id("missing metarange", i)
    made = _commit(i, place, "without metarange", meta_range_id=missing)
    return made.is_found("meta-range-exists", f"there is no metarange {missing}")


def _wrong_generation(i: int, place: Place) -> Planted:
    generation = (1, 3, 4, 1_000_000)[i % 4]
    made = _commit(i, place, "generation", generation=generation)
    return made.is_found("generation-is-right", f"it is {generation}, and its parent's is 1")


def _older(i: int, place: Place) -> Planted:
    """Dated when the repository was created; its parent is later."""
    made = commit(place.home, place.content_id("older", i), place.created - i, parents=(place.first_commit,))
    return made.is_found("child-is-not-older", "it is dated before its parent")


def _cycle(i: int, count: int, place: Place) -> Planted:
    """Pairs that are each other's parent; the last one of an odd number is its own."""
    name = "commits-have-no-cycle"
    partner = i - 1 if i % 2 else min(i + 1, count - 1)
    parents = (place.content_id("cycle", partner),)
    made = _commit(i, place, "cycle", parents=parents, generation=1 + i % 2).is_found(name, "it is its own ancestor")
    return made if i % 2 else made.is_found("generation-is-right", "its parent is its child: no generation fits")


def _shared_token(i: int, place: Place) -> Planted:
    """Two branches with one sealed token, under which nothing is staged."""
    shared = place.token("shared", i)
    names = (f"sharing-{i}", f"sharing-too-{i}")
    one, other = (branch(place.home, each, place.first_commit, place.token(each, i), (shared,)) for each in names)
    return one + other + Planted.finding("token-has-one-owner", shared, f"two branches have it: {', '.join(names)}")


def _unowned(i: int, place: Place) -> Planted:
    """Entries under a token that no branch has: one, or (every other time) two."""
    token = place.token("unowned", i)
    made = Planted.finding("staged-has-owner", token, "no branch has it")
    for at in range(1 + i % 2):
        made += _staged(i, place, token, f"unowned/{at}", f"data/{place.name(f'unowned {at}', i)}")
    return made


def _endangered(i: int, place: Place) -> Planted:
    """A cleanup record for a repository that is accessible."""
    made = cleanup(place.repository_id, place.uid)
    return made.is_found("cleanup-spares-live", "its instance is accessible")


def _shared_address(i: int, place: Place) -> Planted:
    """Two entries of the default branch with one address."""
    name = place.name("shared", i)
    one = _staged(i, place, place.open_token, f"shared/one/{i}", f"data/{name}")
    other = staged(place.open_token, f"shared/other/{i}", f"data/{name}", place.now - DAY)
    subject = f"{place.namespace}/data/{name}"
    return one + other + Planted.finding("address-has-one-entry", subject, "two staged entries have it")


def _unknown_key(i: int, place: Place) -> Planted:
    """In the partition of a repository, and every other time in that of all repositories."""
    partition = keys.GRAVELER if i % 2 else place.home
    made = Planted.record(partition, f"unknown/{i}".encode(), b"\n\1x")
    return made.is_found("key-is-known", "no record has such a key")


def _misnamed(i: int, place: Place) -> Planted:
    """A tag whose key says one id and whose record another."""
    made = tag(place.home, f"misnamed-{i}", place.first_commit, told=f"other-{i}")
    return made.is_found("key-names-record", f"the record says other-{i}")


def _undecodable(i: int, place: Place) -> Planted:
    """The value of a tag, and every other time of a commit, that is no message."""
    if i % 2:
        key, value = keys.commit_key(CommitID(place.content_id("undecodable", i))), b"\n\x40cut off"
    else:
        key, value = keys.tag_key(TagID(f"undecodable-{i}")), b"\xff\xff\xff"
    made = Planted.record(place.home, key, value)
    return made.is_found("record-is-decodable", "its value is no message")


PLANTS: Final[Mapping[str, Callable[[int, Place], Planted]]] = {
    GARBAGE: garbage.left,
    "no-reachable-zombie": _zombie,
    "garbage-is-reclaimable": _lost,
    "active-is-complete": _incomplete,
    "head-exists": _headless,
    "parents-exist": _orphan,
    "meta-range-exists": _without_metarange,
    "generation-is-right": _wrong_generation,
    "child-is-not-older": _older,
    "token-has-one-owner": _shared_token,
    "staged-has-owner": _unowned,
    "cleanup-spares-live": _endangered,
    "address-has-one-entry": _shared_address,
    "key-is-known": _unknown_key,
    "key-names-record": _misnamed,
    "record-is-decodable": _undecodable,
}
"""What is made from a number and a place alone."""


def plant(name: str, i: int, count: int, place: Place, address: str) -> Planted:
    """Number i of so many of an id. ``address``: of the object at stake, where the id is about one that is there."""
    physical = f"{place.namespace}/{address}"
    match name:
        case "commits-have-no-cycle":
            return _cycle(i, count, place)
        case "committed-data-is-kept":
            return Planted.finding(name, physical, "a commit of main refers to it, and it is not there")
        case "staged-data-is-kept":
            return Planted.finding(name, physical, "a branch shows it as staged, and it is not there")
        case _ if name == AGAIN:
            made = staged(place.open_token, f"shared/again/{address}", address, place.now - DAY)
            evidence = "a committed entry has it, and a staged one of another path"
            return made + Planted.finding("address-has-one-entry", physical, evidence)
    return PLANTS[name](i, place)


def _commit(
    i: int,
    place: Place,
    kind: str,
    *,
    parents: tuple[str, ...] | None = None,
    generation: int = 2,
    meta_range_id: str = "",
    instance: str = "",
) -> Planted:
    """A commit on the first one of its repository, all well but for what is said."""
    return commit(
        place.home,
        place.content_id(kind, i),
        place.now,
        parents=(place.first_commit,) if parents is None else parents,
        generation=generation,
        meta_range_id=meta_range_id,
        instance=instance,
    )


def _staged(i: int, place: Place, token: str, path: str, address: str) -> Planted:
    """A staged entry, and its object."""
    row = Object(place.namespace, address, 1, place.now - DAY)
    return staged(token, path, address, place.now - DAY) + Planted(objects=(row,))
