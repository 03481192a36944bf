"""Where a service that speaks a protocol of Amazon is, from a DSN; and a client of boto3 for it."""

from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

import attrs
import boto3
from botocore.client import BaseClient
from botocore.config import Config

REGION: Final = "us-east-1"


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
