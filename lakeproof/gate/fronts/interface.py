"""What the gate needs to know of a store's protocol."""

from typing import Generic, Protocol, TypeAlias, TypeVar

from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.redis.replies import Reply

State = TypeVar("State")
Asked = TypeVar("Asked")
Answer: TypeAlias = Response | Reply
"""Of HTTP, or of Redis."""


class Front(Protocol, Generic[State, Asked]):
    """A pure translation. ``State``: all that the store holds, a value. ``Asked``: a request, understood."""

    def understood(self, request: Request) -> Asked | Response:
        """The request of HTTP; or the answer to one that is none, which is given at once and touches nothing."""

    def client_of(self, asked: Asked) -> str:
        """Who asks, by credential; empty if it has none."""

    def label_of(self, asked: Asked) -> str:
        """In one line what is asked, such as ``PUT bucket/key if-none-match``, without bodies."""

    def keys_of(self, asked: Asked) -> tuple[str, ...]:
        """All keys that it names and its label may not, in an order that does not depend on what is minted."""

    def writes(self, asked: Asked) -> bool:
        """Whether it may change anything."""

    def perform(self, state: State, asked: Asked, now: int) -> tuple[State, Answer, Footprint]:
        """Do it: the state after it, the answer, and what was touched. now: microseconds since 1970."""

    def conflict(self, asked: Asked) -> Answer | None:
        """The answer to a write under a condition that has met another write: nothing has been done. None: the store
        never gives it."""

    def late(self, asked: Asked) -> Asked | None:
        """The same request after what it touches has expired, as far as it can. None: nothing expires in this store."""

    def refusal(self, asked: Asked) -> Answer:
        """The answer of a store that is too busy: nothing has been done."""
