"""What each store's front has. What only one of them has is in `lakeproof.gate.fronts.aws.AWSFront`."""

from typing import Generic, Protocol, TypeAlias, TypeVar

from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Response
from lakeproof.gate.fronts.redis.replies import Reply

State = TypeVar("State")
Request_contra = TypeVar("Request_contra", contravariant=True)
Answer: TypeAlias = Response | Reply
"""Of HTTP, or of Redis."""


class Front(Protocol, Generic[State, Request_contra]):
    """A pure translation. ``State``: all that the store holds, a value. ``Request_contra``: a request, parsed; its
    ``client`` is who asks, by credential, and empty if it has none."""

    def label_of(self, request: Request_contra) -> str:
        """The request in one line, such as ``PUT bucket/key if-none-match``, without bodies."""

    def writes(self, request: Request_contra) -> bool:
        """Whether it may change anything."""

    def perform(self, state: State, request: Request_contra, now: int) -> tuple[State, Answer, Footprint]:
        """Do it: the state after it, the answer, and what was touched. now: microseconds since 1970."""

    def refusal(self, request: Request_contra) -> Answer:
        """The answer of a store that is too busy: nothing has been done."""
