"""The contract of a live object store: what every driver does, and what only some can.

The meaning of each operation is `lakeproof.model.objects.step`.
Source: hard-delete-uncommitted-data.md, "Atomic reference counter".
"""

from abc import abstractmethod
from collections.abc import Callable

from lakeproof.impl.operations import ObjectOperations
from lakeproof.model import objects

Answer = bytes | objects.Head | objects.Page | None

Clock = Callable[[], int]
"""Microseconds since 1970."""


class ObjectStore(ObjectOperations):
    """An object store that many tasks use at once. Each operation is atomic and linearizable; a listing is one
    operation per page, and so no snapshot.

    A driver implements `apply`; all the rest is here, once. Errors are those of `lakeproof.model.objects`: a driver
    must raise `objects.OutcomeUnknown` wherever it cannot know whether a write happened, and `objects.Refused` where it
    knows that it did not.
    """

    capabilities: frozenset[str] = objects.ALL
    """The conditions that it has, as in `lakeproof.model.objects.ALL`."""

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
        objects.refuse_unsupported(op, self.capabilities)
        return await self.apply(op)
