"""Committed data: ranges and metaranges as immutable, content-addressed objects in the object store.

Nothing here deletes or overwrites: an object's address is the hash of its content, so writing it again is harmless,
and what was written by an operation that then failed is unreachable garbage. All errors are definite.
"""

from lakeproof.impl.committed.diff import merge
from lakeproof.impl.committed.errors import CommittedError, Conflicts, DamagedObject, MissingObject
from lakeproof.impl.committed.reader import get_entry, read_entries
from lakeproof.impl.committed.writer import apply_changes

__all__ = ["CommittedError", "Conflicts", "DamagedObject", "MissingObject"]
__all__ += ["apply_changes", "get_entry", "merge", "read_entries"]
