"""The contract of a live object store: what every driver does, and what only some can.

The meaning of each operation is `lakeproof.model.objects.step`.
Source: hard-delete-uncommitted-data.md, "Atomic reference counter".
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import Final, Literal

import attrs

from lakeproof.impl.operations import ObjectOperations
from lakeproof.model import objects

Answer = bytes | objects.Head | objects.Page | None

Clock = Callable[[], int]
"""Microseconds since 1970."""


@attrs.frozen
class Capabilities:
    """What a kind of store can do beyond the operations that all have. A copy may have a condition everywhere."""

    conditional_put: bool
    """Whether a put may be conditional: on there being nothing, or on the ETag of what is there."""

    conditional_metadata: Literal["none", "metageneration", "version", "both"]
    """What a write of metadata may be conditional on. "none": metadata cannot be written at all, but by copying the
    object onto itself."""

    conditional_delete: bool = True
    """Whether a delete may be conditional on the ETag of what is there."""

    def lacking(self, op: objects.Op) -> str | None:
        """Which capability an operation needs that is not there, and what to do about it; None if it needs none."""
        if isinstance(op, objects.Put) and objects.conditional(op) and not self.conditional_put:
            return "no conditional_put; put without if_absent and if_match"
        if isinstance(op, objects.DeleteObject) and objects.conditional(op) and not self.conditional_delete:
            return "no conditional_delete; delete without if_match"
        if not isinstance(op, objects.SetMetadata):
            return None
        have = self.conditional_metadata
        if have == "none":
            return "no way to write metadata alone; copy the object onto itself with the new metadata"
        if op.if_metageneration is not None and have == "version":
            return "no condition on a metageneration; use if_version"
        if op.if_version is not None and have == "metageneration":
            return "no condition on a version; use if_metageneration"
        return None


S3_LIKE: Final = Capabilities(conditional_put=True, conditional_metadata="none")
"""Metadata are written by a copy of the object onto itself, whose condition is the content's ETag: it knows of no
metadata."""

GCS_LIKE: Final = Capabilities(conditional_put=True, conditional_metadata="metageneration")
"""``ifMetagenerationMatch``, as Google Cloud Storage has it."""

AZURE_LIKE: Final = Capabilities(conditional_put=True, conditional_metadata="version")
"""``If-Match`` with what covers content and metadata, as Azure has it."""

ALL: Final = Capabilities(conditional_put=True, conditional_metadata="both")
"""Every condition there is."""


class ObjectStore(ObjectOperations):
    """An object store that many tasks use at once. Each operation is atomic and linearizable; a listing is one
    operation per page, and so no snapshot.

    A driver implements `apply`; all the rest is here, once. Errors are those of `lakeproof.model.objects`: a driver
    must raise `objects.OutcomeUnknown` wherever it cannot know whether a write happened, and `objects.Refused` where it
    knows that it did not.
    """

    capabilities: Capabilities = ALL
    """What it can do beyond the operations that all have."""

    @abstractmethod
    async def apply(self, op: objects.Op) -> Answer:
        """Do one operation atomically. Only those come that the capabilities allow.

        Raises:
            ObjectError: ObjectNotFound, PreconditionFailed and Expired as `lakeproof.model.objects.step` says; Refused;
                OutcomeUnknown.
        """

    async def perform(self, op: objects.Op) -> Answer:
        """Any operation as a value. A schedule point, also where it fails.

        Raises:
            ObjectError: as `apply`; Unsupported for an operation or a condition that this store does not have.
        """
        lacking = self.capabilities.lacking(op)
        if lacking is not None:
            raise objects.Unsupported(f"{type(op).__name__} in {type(self).__name__}: {lacking}")
        return await self.apply(op)
