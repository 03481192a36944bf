"""What operations on committed data answer instead of a result.

All are definite: nothing in reach has changed.
"""

from typing import cast

from lakeproof.model.errors import FlowError


class CommittedError(FlowError):
    """Base of the answers below."""


class MissingObject(CommittedError):
    """A range or metarange that should be there is not. Names its address."""


class DamagedObject(CommittedError):
    """An object is not what its id or its metarange says. Names its address."""


class Conflicts(CommittedError):
    """Paths that both sides of a merge changed, differently: its only argument, by path."""

    @property
    def paths(self) -> tuple[bytes, ...]:
        return cast("tuple[bytes, ...]", self.args[0])

    def __str__(self) -> str:
        shown = ", ".join(repr(path) for path in self.paths[:5])
        more = f" and {len(self.paths) - 5} more" if len(self.paths) > 5 else ""
        return f"both sides changed {shown}{more}: change them on one side, or choose whose side wins"
