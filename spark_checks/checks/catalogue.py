"""What is checked: ids, meanings, the tables that each needs, and the pass over the data that answers it."""

from typing import Final, Literal

import attrs

Pass = Literal["records", "repositories", "commits", "tokens", "data"]
"""Ids of one pass share its work; its seconds are shown once."""

PASSES: Final[tuple[Pass, ...]] = ("records", "repositories", "commits", "tokens", "data")


@attrs.frozen
class Check:
    """One id. ``needs``: tables at rest beside ``kv/``, without which it cannot be judged."""

    id: str
    part: Pass
    meaning: str
    needs: frozenset[str] = frozenset()


_TREES: Final = frozenset({"metaranges", "ranges"})
_ALL: Final = _TREES | {"objects"}
REPOSITORIES: Final = "repositories"
"""As something that is needed: a source without any record of a repository is a part of a store, such as the dump of
one partition. Nothing in it says what can be reached."""
_OWNERS: Final = frozenset({REPOSITORIES})

CHECKS: Final = (
    Check("key-is-known", "records", "every key is one that the key schema can build"),
    Check("record-is-decodable", "records", "every value is a record of the kind that its key requires"),
    Check("key-names-record", "records", "the id in a key is that of the record"),
    Check(
        "active-is-complete",
        "repositories",
        "an accessible repository (unless bare) has its default branch, and that branch's commit, in its own partition",
        _OWNERS,
    ),
    Check(
        "no-reachable-zombie",
        "repositories",
        "nothing reachable through an accessible repository belongs to another instance, past or failed",
        _OWNERS,
    ),
    Check(
        "garbage-is-reclaimable", "repositories", "every unreachable entity can still be found by the cleaner", _OWNERS
    ),
    Check("cleanup-spares-live", "repositories", "no cleanup record names an instance that is accessible", _OWNERS),
    Check("head-exists", "commits", "a branch or tag names a commit that exists"),
    Check("parents-exist", "commits", "the parents of a commit exist"),
    Check("generation-is-right", "commits", "a generation is 1 + the largest of the parents', 1 without parents"),
    Check("child-is-not-older", "commits", "no commit is dated before a parent of it: retention depends on dates"),
    Check("commits-have-no-cycle", "commits", "no commit is an ancestor of itself"),
    Check("meta-range-exists", "commits", "the metarange of a commit exists, and so do its ranges", _TREES),
    Check("token-has-one-owner", "tokens", "a staging token, open or sealed, has one branch"),
    Check("staged-has-owner", "tokens", "staged entries are under a token that a branch owns", _OWNERS),
    Check("committed-data-is-kept", "data", "no object of a reachable commit is deleted", _ALL | _OWNERS),
    Check(
        "staged-data-is-kept",
        "data",
        "the object of a staged entry, as its branch shows it, exists",
        _ALL - _TREES | _OWNERS,
    ),
    Check("address-has-one-entry", "data", "no two live entries share an address", _TREES | _OWNERS),
)

BY_ID: Final = {check.id: check for check in CHECKS}

OF_LAKEFS: Final = (
    Check("commit-is-reachable", "commits", "a branch or a tag leads to each commit"),
    Check(
        "table-is-sound",
        "data",
        "the metarange of a commit, and its ranges, are in its repository's namespace: SSTables, every byte checked",
        frozenset({"stored"}) | _OWNERS,
    ),
    Check(
        "object-is-whole",
        "data",
        "an object that a reachable commit, or a branch, refers to has as many bytes as the entry says",
        frozenset({"stored"}) | _OWNERS,
    ),
    Check(
        "object-is-referred-to",
        "data",
        "each object that lakeFS has written is referred to by a reachable commit, or by a branch",
        frozenset({"stored"}) | _OWNERS,
    ),
)
"""Of a store with the keys of lakeFS, as far as it has what they need; other stores are not checked for these."""

EVERY: Final = BY_ID | {check.id: check for check in OF_LAKEFS}
