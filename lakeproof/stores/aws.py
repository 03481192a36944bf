"""Where a service that speaks a protocol of Amazon is, from a DSN; and a client of boto3 for it."""

from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import attrs
import boto3
from botocore.client import BaseClient
from botocore.config import Config
from botocore.exceptions import ClientError

from lakeproof.impl.stores.kv_answers import LACKS, NotJudged

REGION: Final = "us-east-1"
NOT_IMPLEMENTED: Final = 501
SERVER_ERROR: Final = 500
UNDECIDED: Final = frozenset({408, 429, 499})
"""Of what stands before a store, and may have passed the request on: a proxy says 408 when an answer takes too long."""
FORBIDDEN: Final = 403
"""Of S3, where the key has no right to a request, or the clocks differ."""
NO_MATTER: Final = frozenset({
    "ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded",
    "AccessDeniedException", "ExpiredTokenException", "InvalidSignatureException", "UnrecognizedClientException",
})  # fmt: skip
"""Codes of DynamoDB for a request that came too soon after others, or that the key has no right to: nothing was done,
and it says nothing of the contract."""


@attrs.frozen(kw_only=True)
class Address:
    """What a DSN ``dynamodb+http://KEY:SECRET@HOST:PORT/PATH?region=REGION`` says, or one that begins with ``s3+``.
    host: empty: there is none. path: a table, or a bucket and a prefix."""

    url: str
    host: str
    path: str
    region: str
    credentials: tuple[str, str] | None

    @classmethod
    def of(cls, dsn: str) -> "Address":
        """Raises ValueError: no URL, or no port."""
        parts = urlsplit(dsn.partition("+")[2])  # behind dynamodb+ or s3+
        host = parts.hostname or ""
        shown = f"[{host}]" if ":" in host else host  # `hostname` has the brackets of IPv6 stripped
        return cls(
            url=f"{parts.scheme}://{shown}{'' if parts.port is None else f':{parts.port}'}",
            host=host,
            path=parts.path.removeprefix("/"),
            region=parse_qs(parts.query).get("region", [""])[0],
            credentials=None if parts.username is None else (unquote(parts.username), unquote(parts.password or "")),
        )

    def client(self, service: str, config: Config, default: tuple[str, str] | None = None) -> BaseClient:
        """default: the credentials, if the DSN has none; None: those of the environment."""
        session = boto3.Session()
        key, secret = self.credentials or default or (None, None)
        return session.client(
            service,
            endpoint_url=self.url,
            region_name=self.region or session.region_name or REGION,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=config,
        )


def raise_unless_judged(error: ClientError) -> None:
    """Raises NotJudged if a refusal says nothing of a claim: the store lacks the operation, forbids it, is busy, or has
    failed."""
    found = error.response.get("Error", {})
    words = f"{found.get('Code')} {found.get('Message')}"
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", SERVER_ERROR)
    if status == NOT_IMPLEMENTED or LACKS.search(words):
        raise NotJudged(f"the store lacks {error.operation_name}, or one of its parameters: {words}") from error
    if status >= SERVER_ERROR or status in {*UNDECIDED, FORBIDDEN} or found.get("Code") in NO_MATTER:
        raise NotJudged(f"no answer: {error.operation_name}: {status} {words}") from error
