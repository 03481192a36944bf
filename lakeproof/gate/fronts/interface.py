"""What the gate needs to know of a store's protocol."""

from typing import Generic, Protocol, TypeAlias, TypeVar

from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.redis.replies import Reply

State = TypeVar("State")
StoreRequest = TypeVar("StoreRequest")
Answer: TypeAlias = Response | Reply
"""Of HTTP, or of Redis."""


class Front(Protocol, Generic[State, StoreRequest]):
    """A pure translation. ``State``: all that the store holds, a value. ``StoreRequest``: a request, parsed."""

    def understood(self, request: Request) -> StoreRequest | Response:
        """The request of HTTP; or the answer to one that is none, which is given at once and touches nothing."""

    def client_of(self, request: StoreRequest) -> str:
        """Who asks, by credential; empty if it has none."""

    def label_of(self, request: StoreRequest) -> str:
        """The request in one line, such as ``PUT bucket/key if-none-match``, without bodies."""

    def keys_of(self, request: StoreRequest) -> tuple[str, ...]:
        """All keys that it names and its label may not, in an order that does not depend on what is minted."""

    def writes(self, request: StoreRequest) -> bool:
        """Whether it may change anything."""

    def perform(self, state: State, request: StoreRequest, now: int) -> tuple[State, Answer, Footprint]:
        """Do it: the state after it, the answer, and what was touched. now: microseconds since 1970."""

    def conflict(self, request: StoreRequest) -> StoreRequest | None:
        """The same write under a condition, that meets another write: it is refused. None: it never does."""

    def late(self, request: StoreRequest) -> StoreRequest | None:
        """The same request after what it touches has expired, as far as it can. None: nothing expires in this store."""

    def awaited(self, state: State, request: StoreRequest) -> int | None:
        """How much is there of what it would wait for in the store: one is its answer, and of several it is not known
        which. None: it never waits."""

    def refusal(self, request: StoreRequest) -> Answer:
        """The answer of a store that is too busy: nothing has been done."""
