"""The stores that a program may ask: S3 and DynamoDB under one address, as the SDKs of Amazon find them by
``AWS_ENDPOINT_URL``; and Redis under one of its own, ``REDIS_URL``.

A request of HTTP with the header ``X-Amz-Target`` is one of DynamoDB's, any other one of S3's.
"""

from collections.abc import Sequence
from typing import Final

import attrs

from lakeproof.gate.fronts.dynamodb.front import TARGET, DynamoDBFront, DynamoDBRequest
from lakeproof.gate.fronts.dynamodb.state import DynamoState as Tables
from lakeproof.gate.fronts.footprints import Footprint
from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.interface import Answer, Front
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.state import RedisState as Keys
from lakeproof.gate.fronts.s3.front import S3Front
from lakeproof.gate.fronts.s3.state import BucketState as Buckets
from lakeproof.gate.fronts.s3.wire import S3Request
from lakeproof.model.objects import Objects

StoreRequest = S3Request | DynamoDBRequest | RedisRequest
_FRONTS: Final = {S3Request: "s3", DynamoDBRequest: "dynamodb", RedisRequest: "redis"}
"""By kind of request: the name of its part of `AWSFront`, and of `Store`."""


@attrs.frozen(kw_only=True)
class Store:
    """What all of them hold."""

    s3: Buckets = attrs.field(factory=Buckets)
    dynamodb: Tables = attrs.field(factory=Tables)
    redis: Keys = attrs.field(factory=Keys)

    @property
    def objects(self) -> Objects:
        """The objects of S3, by ``bucket/key``."""
        return self.s3.objects


class AWSFront:
    """All of them as one. See `lakeproof.gate.fronts.interface.Front`, also for what has no docstring here."""

    def __init__(self) -> None:
        self.s3 = S3Front()
        self.dynamodb = DynamoDBFront()
        self.redis = RedisFront()

    def understood(self, request: Request) -> StoreRequest | Response:
        """The request of HTTP; or the answer to one that is none, which is given at once and touches nothing."""
        return self.dynamodb.understood(request) if TARGET in request.headers else self.s3.understood(request)

    def _front(self, request: StoreRequest) -> Front[object, StoreRequest]:
        """The front of its kind of requests."""
        return getattr(self, _FRONTS[type(request)])  # type: ignore[no-any-return]  # one of the three

    def client_of(self, request: StoreRequest) -> str:
        return request.client

    def label_of(self, request: StoreRequest) -> str:
        return self._front(request).label_of(request)

    def keys_of(self, request: StoreRequest) -> tuple[str, ...]:
        """All keys that it names and its label may not, in an order that does not depend on what is minted."""
        # Labels of the others have them all.
        return self.s3.keys_of(request) if isinstance(request, S3Request) else ()

    def writes(self, request: StoreRequest) -> bool:
        return self._front(request).writes(request)

    def perform(self, state: Store, request: StoreRequest, now: int) -> tuple[Store, Answer, Footprint]:
        name = _FRONTS[type(request)]
        part, answer, footprint = self._front(request).perform(getattr(state, name), request, now)
        after = attrs.evolve(state, **{name: part})  # type: ignore[arg-type]  # a part of this name is of its type
        return after, answer, footprint

    def conflict(self, request: StoreRequest) -> StoreRequest | None:
        """The same write under a condition, that meets another write: it is refused. None: it never does."""
        # DynamoDB's transactions are one step here and never conflict. Whether Redis' EXEC does, its keys say.
        return self.s3.conflict(request) if isinstance(request, S3Request) else None

    def late(self, request: StoreRequest) -> StoreRequest | None:
        """The same request after what it touches has expired, as far as it can. None: nothing expires in this store."""
        return attrs.evolve(request, late=True) if isinstance(request, RedisRequest) else None

    def awaited(self, state: Store, request: StoreRequest) -> int | None:
        """How much is there of what it would wait for in the store: one is its answer, and of several it is not known
        which. None: it never waits."""
        return self.redis.awaited(state.redis, request) if isinstance(request, RedisRequest) else None

    def refusal(self, request: StoreRequest) -> Answer:
        return self._front(request).refusal(request)

    def environment(self, url: str, redis: str, client: str) -> Sequence[tuple[str, str]]:
        """What tells a client where the stores are, and who it is. url: of HTTP. redis: the host and port of Redis."""
        return (
            ("AWS_ENDPOINT_URL", url),
            ("AWS_ACCESS_KEY_ID", client),  # signatures name it, and so it tells whose request it is
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),  # of two names: some SDKs read only the next one
            ("AWS_DEFAULT_REGION", "us-east-1"),
            ("AWS_ALLOW_HTTP", "true"),  # Rust's object_store refuses plain HTTP without it
            ("AWS_EC2_METADATA_DISABLED", "true"),  # else credentials are sought in the network
            ("REDIS_URL", f"redis://{client}:secret@{redis}/0"),
        )
