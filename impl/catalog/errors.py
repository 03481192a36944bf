"""What operations on objects answer instead of a result. All are definite: the operation did not take place."""

from lakeproof.model.errors import DataGone as DataGone
from lakeproof.model.errors import GravelerError


class AddressNotAllowed(GravelerError):
    """The physical address may not be used here: it lies in the namespace, and was not issued for this."""


class AddressDeleted(GravelerError):
    """The object at the physical address is deleted, or about to be; upload it again."""


class GrantInvalid(GravelerError):
    """The token of a physical address is unknown or used up; ask for a new address."""


class GrantExpired(GravelerError):
    """The token of a physical address has expired; ask for a new address."""


class EntryLocked(GravelerError):
    """Another client holds the entry's lock, or left it behind; try again later."""


class ObjectBusy(GravelerError):
    """The references of an object were changed by others as often as this operation was willing to try."""
