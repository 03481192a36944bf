"""What tests of proposal 5 look at: objects, locks, and the invariants of data."""

from typing import Final

from lakeproof.impl.hard_delete import no_copies as flows
from lakeproof.impl.hard_delete._one_entry import LOCKED
from lakeproof.model.catalog import decode_object_entry
from lakeproof.model.invariants import data, violations
from lakeproof.model.records import StagedEntry
from lakeproof.scenarios._branch_data import BRANCH, X
from tests.impl.graveler.hand import Hand

CHECKED: Final = (data.committed_data_is_kept, data.staged_data_is_kept, data.address_has_one_entry)


def upload(hand: Hand, path: bytes = X, content: bytes = b"1", *, reading: flows.Reading = flows.AS_WRITTEN) -> str:
    """The address of what was uploaded."""
    return f"mem://r/{hand.run(flows.upload_object, BRANCH, path, content, reading=reading).address}"


def addresses(hand: Hand) -> set[str]:
    """Of the objects of users."""
    return {address for address in hand.snapshot().objects if "/data/" in address}


def broken(hand: Hand) -> set[str]:
    """The invariants of data that do not hold."""
    return {each.invariant for invariant in CHECKED for each in violations(invariant.check(hand.snapshot()))}


def mark(hand: Hand, path: bytes = X) -> str | None:
    """What the lock of the entry under the open token says."""
    found = hand.snapshot().store.get((hand.branch().staging_token.encode(), b"key/" + path))
    assert isinstance(found, StagedEntry)
    return None if found.data is None else dict(decode_object_entry(found.data).metadata).get(LOCKED)


def read(hand: Hand, path: bytes = X) -> bytes:
    found = hand.run(flows.read_object, BRANCH, path)
    assert isinstance(found, bytes)
    return found
