"""The Trash Cleaner.

Source: repository-operations-error-handling.md, "Trash Cleaner - Nice to Have".
"""

from lakeproof.impl.codec import decode_cleanup_record
from lakeproof.impl.effects import Env
from lakeproof.impl.repositories.records import delete_all
from lakeproof.model import keys, kv


async def clean(env: Env, *, batch_size: int = 0) -> int:
    """Empty every partition named in ``graveler_deleted``, and drop its record. Returns how many were done.

    "If a failure occurs at any step above, just skip this entry". A failure of the scan of the records itself ends
    the run: there is no next one to move to.
    """
    cleaned = 0
    async for entry in env.store.scan(keys.DELETED, batch_size=batch_size):
        record = decode_cleanup_record(entry.value)
        try:
            # The partition before the record: after a crash in between the next run finds the record, and an empty
            # partition.
            await delete_all(env, keys.repository_partition(record.repository_id, record.instance_uid), batch_size)
            await env.store.delete(keys.DELETED, entry.key)
        except kv.KVError:
            continue
        cleaned += 1
    return cleaned
