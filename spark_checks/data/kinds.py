"""What lives at an address of ``kv/``: in the design's key schema as `lakeproof.model.keys.parse` has it, and in
lakeFS' own.

Cost: a microsecond or two a record.
"""

from functools import lru_cache
from typing import Final

from lakeproof.impl.graveler import dropping
from lakeproof.impl.hard_delete import journal, reference_counter, token_lists
from lakeproof.impl.hard_delete.offline import COPIES_PREFIX
from lakeproof.impl.migration import checks, migration
from lakeproof.impl.retention import left, pins
from lakeproof.model import keys

FOREIGN: Final = "foreign"
"""Refers to no object: another record of lakeFS' store, or one that flows keep beside those of the key schema."""

COPY: Final = "copy"
"""In a repository's partition, as `lakeproof.impl.hard_delete.offline` writes them: microseconds, a space, an
address."""
ISSUED_PREFIX: Final = b"link-addresses/"
"""Records in a repository's partition: an address that was issued, and may be linked. The rest of the key says it."""

_STAGED_NAME: Final = len(keys.STAGED_PREFIX)
_BESIDE: Final = (
    *(ISSUED_PREFIX, keys.NOTED_TOKENS_PREFIX, dropping.NOTES, b"locks/", checks.VERSION_KEY, migration.JOURNAL),
    *(reference_counter.DROPPED_PREFIX, token_lists.REFERENCES, token_lists.COMMITTED, token_lists.DELETED),
    *(pins.PINS, pins.CONDEMNED, left.LEFT),
)
"""In a repository's partition, and that of the store's version. What online designs have issued is not among it: it
may be linked yet."""


def design_kind(partition: bytes, key: bytes) -> str | None:
    """What lives at an address: as `lakeproof.model.keys.parse`, and fast for staged entries, of which there are
    most."""
    # Before the general parser: staged entries are most of all records, and their partitions are few.
    if key.startswith(keys.STAGED_PREFIX) and may_stage(partition):
        return "staged" if len(key) > _STAGED_NAME else None
    if b":" in partition:
        return None  # of a staging token: what lies there may be staged, by another schema
    parsed = keys.parse(partition, key)
    if parsed is not None:
        return parsed.kind
    # Any key of a branch tells whether a branch could be in this partition.
    in_repository = keys.parse(partition, keys.BRANCHES_PREFIX + b"x") is not None
    if in_repository and key.startswith(COPIES_PREFIX):
        return COPY
    beside = key.startswith(_BESIDE) if in_repository else partition.endswith((journal.FATES, journal.HEADS))
    return FOREIGN if beside else None


@lru_cache(1 << 16)
def may_stage(partition: bytes) -> bool:
    """Whether it can be that of a staging token, in the design's schema."""
    parsed = keys.parse(partition, keys.STAGED_PREFIX + b"x")
    return parsed is not None and parsed.kind == "staged"


def lakefs_kind(partition: bytes, key: bytes) -> str | None:
    """The same in a store of lakeFS: a staging token has a colon, and its entries have bare paths for keys. lakeFS
    keeps much else in its store, which is foreign here."""
    if partition == keys.GRAVELER:
        return "repository" if key.startswith(keys.REPOSITORIES_PREFIX) else FOREIGN
    if b":" in partition:
        return "staged" if key else None  # a path has at least one byte
    for kind, prefix in _IN_REPOSITORY:
        if key.startswith(prefix):
            return kind
    return FOREIGN


_IN_REPOSITORY: Final = (
    ("branch", keys.BRANCHES_PREFIX),
    ("commit", keys.COMMITS_PREFIX),
    ("tag", keys.TAGS_PREFIX),
)


@lru_cache(1 << 12)
def token(partition: bytes) -> str | None:
    """The staging token whose partition it is; None: it is no text."""
    try:
        return partition.decode()
    except UnicodeDecodeError:
        return None
