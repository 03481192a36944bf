"""A hand that shows which objects are put and got, and small committed data to put on it."""

from collections.abc import Iterable, Mapping
from typing import Final

import attrs
from hypothesis import strategies as st

from lakeproof.impl.committed import apply_changes
from lakeproof.impl.live import live_env
from lakeproof.model import objects
from lakeproof.model.committed import (
    Entry,
    RangeInfo,
    Splitting,
    change_to,
    decode_meta_range,
    decode_range,
    object_address,
)
from lakeproof.model.identifiers import MetaRangeID, StorageNamespace
from lakeproof.model.objects import StoredObject
from tests.impl.hand import Hand

ENV: Final = live_env()
NS: Final = StorageNamespace("mem://r")
SPLITTING: Final = Splitting(min_bytes=90, max_bytes=300, one_in=3)
"""A few entries a range."""
EMPTY: Final = MetaRangeID("")


@attrs.define
class Shelf(Hand):
    """Shows the effects of the last flow as "put" or "get" and the id of the object."""

    @property
    def story(self) -> list[tuple[str, str]]:
        story = []
        for op in self.ops:
            assert isinstance(op, objects.Put | objects.GetObject), f"{op!r}: committed data only puts and gets"
            story.append(("put" if isinstance(op, objects.Put) else "get", op.address.rpartition("/")[2]))
        return story

    def done(self, kind: str) -> list[str]:
        """The ids that the last flow put, or got."""
        return [object_id for each, object_id in self.story if each == kind]

    def write(self, entries: Iterable[Entry]) -> MetaRangeID:
        """The metarange of these entries, cut small."""
        changes = [change_to(each.path, each) for each in entries]
        return self.do(apply_changes(ENV, NS, EMPTY, changes, splitting=SPLITTING))

    def infos(self, meta_range_id: MetaRangeID) -> tuple[RangeInfo, ...]:
        """The ranges of a metarange."""
        return decode_meta_range(self.content_of(meta_range_id)) if meta_range_id else ()

    def entries(self, meta_range_id: MetaRangeID) -> tuple[Entry, ...]:
        """The entries of a metarange."""
        infos = self.infos(meta_range_id)
        return tuple(entry for info in infos for entry in decode_range(self.content_of(info.range_id)))

    def contents(self) -> Mapping[str, StoredObject]:
        return self.snapshot().objects

    def content_of(self, object_id: str) -> bytes:
        return self.contents()[object_address(NS, object_id)].content

    def damage(self, object_id: str, content: bytes | None) -> None:
        """Overwrite an object behind everybody's back; None: lose it."""
        address = object_address(NS, object_id)
        self.perform(objects.DeleteObject(address) if content is None else objects.Put(address, content))


def entry(number: int, identity: bytes = b"1") -> Entry:
    """An entry whose data its identity stands for."""
    return Entry(path=b"%05d" % number, identity=identity, data=b"data " + identity)


def row(count: int, start: int = 0) -> tuple[Entry, ...]:
    """Entries in a row."""
    return tuple(entry(number) for number in range(start, start + count))


identities = st.sampled_from([b"1", b"2", b"three is a long one"])
contents = st.dictionaries(st.integers(0, 40), identities, max_size=40).map(
    lambda found: tuple(entry(number, found[number]) for number in sorted(found))
)
edits = st.dictionaries(st.integers(0, 40), st.none() | identities, max_size=6)
