"""S3 and DynamoDB under one address, as the SDKs of Amazon find them by ``AWS_ENDPOINT_URL``.

A request with the header ``X-Amz-Target`` is one of DynamoDB's, any other one of S3's.
"""

from collections.abc import Sequence

import attrs

from lakeproof.gate.dynamodb.front import TARGET, DynamoDBFront, DynamoDBRequest
from lakeproof.gate.dynamodb.state import State as Tables
from lakeproof.gate.footprints import Footprint
from lakeproof.gate.http import Request, Response
from lakeproof.gate.s3.front import S3Front
from lakeproof.gate.s3.state import State as Buckets
from lakeproof.gate.s3.wire import S3Request
from lakeproof.model.objects import Objects

Asked = S3Request | DynamoDBRequest


@attrs.frozen(kw_only=True)
class Store:
    """What both hold."""

    s3: Buckets = attrs.field(factory=Buckets)
    dynamodb: Tables = attrs.field(factory=Tables)

    @property
    def objects(self) -> Objects:
        """The objects of S3, by ``bucket/key``."""
        return self.s3.objects


class AWSFront:
    """See `lakeproof.gate.fronts.Front`."""

    def __init__(self) -> None:
        self.s3 = S3Front()
        self.dynamodb = DynamoDBFront()

    def understood(self, request: Request) -> Asked | Response:
        return self.dynamodb.understood(request) if TARGET in request.headers else self.s3.understood(request)

    def client_of(self, asked: Asked) -> str:
        return self.s3.client_of(asked) if isinstance(asked, S3Request) else self.dynamodb.client_of(asked)

    def label_of(self, asked: Asked) -> str:
        return self.s3.label_of(asked) if isinstance(asked, S3Request) else self.dynamodb.label_of(asked)

    def keys_of(self, asked: Asked) -> tuple[str, ...]:
        return self.s3.keys_of(asked) if isinstance(asked, S3Request) else self.dynamodb.keys_of(asked)

    def writes(self, asked: Asked) -> bool:
        return self.s3.writes(asked) if isinstance(asked, S3Request) else self.dynamodb.writes(asked)

    def perform(self, state: Store, asked: Asked, now: int) -> tuple[Store, Response, Footprint]:
        if isinstance(asked, S3Request):
            objects, response, footprint = self.s3.perform(state.s3, asked, now)
            return attrs.evolve(state, s3=objects), response, footprint
        tables, response, footprint = self.dynamodb.perform(state.dynamodb, asked, now)
        return attrs.evolve(state, dynamodb=tables), response, footprint

    def refusal(self, asked: Asked) -> Response:
        return self.s3.refusal(asked) if isinstance(asked, S3Request) else self.dynamodb.refusal(asked)

    def environment(self, url: str, client: str) -> Sequence[tuple[str, str]]:
        return (
            ("AWS_ENDPOINT_URL", url),
            ("AWS_ACCESS_KEY_ID", client),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        )
