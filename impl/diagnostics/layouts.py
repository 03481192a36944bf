"""A store of lakeFS as it was built, read as if it had the keys of the designs.

One thing differs: staged entries have bare paths for keys in lakeFS, in partitions with a colon in their names. Here
they get the designs' prefix when they are read, which keeps their order::

    shop-main:ed5f   a/b      is read as      shop-main:ed5f   key/a/b

Source: lakeFS pkg/graveler/model.go and staging/manager.go.
"""

import attrs

from lakeproof.impl.stores.base import Answer, Store
from lakeproof.model import keys, kv

# The last byte is a slash, so one more is no carry.
_AFTER_PREFIX = keys.STAGED_PREFIX[:-1] + bytes([keys.STAGED_PREFIX[-1] + 1])
"""The least key that is behind all with the prefix."""


def is_staging(partition: bytes) -> bool:
    """Whether a partition of lakeFS is that of a staging token."""
    return b":" in partition


@attrs.define
class LakeFSLayout(Store):
    """Reads only. ``inner``: the store itself."""

    inner: Store

    async def apply(self, op: kv.Op) -> Answer:
        match op:
            case kv.Get(partition, key) if is_staging(partition):
                # Every key of a staging partition has the prefix here.
                if not key.startswith(keys.STAGED_PREFIX):
                    raise kv.NotFound
                return await self.inner.perform(kv.Get(partition, key.removeprefix(keys.STAGED_PREFIX)))
            case kv.ScanBatch(partition, start, batch_size) if is_staging(partition):
                if start >= _AFTER_PREFIX:
                    return kv.Batch((), more=False)
                # A start between the prefix and the least key behind it begins with the prefix.
                begin = start.removeprefix(keys.STAGED_PREFIX) if start > keys.STAGED_PREFIX else b""
                found = await self.inner.perform(kv.ScanBatch(partition, begin, batch_size))
                assert isinstance(found, kv.Batch)
                return kv.Batch(
                    tuple(kv.Entry(keys.STAGED_PREFIX + each.key, each.value) for each in found.entries), found.more
                )
            case kv.Get() | kv.ScanBatch():
                return await self.inner.perform(op)
        # Whatever is no read, also by a capability.
        raise kv.Refused(f"{type(op).__name__}: a store that is diagnosed is only read")
