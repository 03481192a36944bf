"""A bucket of an S3, as `lakeproof conform s3+http://...` uses it: through boto3, under a prefix of its own."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote

import attrs
from botocore.client import BaseClient
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.response import StreamingBody

from lakeproof.impl.stores.conformance import NotConforming, NotJudged
from lakeproof.stores.aws import REGION, Address, raise_unless_judged
from lakeproof.stores.redaction import hide_secrets
from lakeproof.words import Unusable

FORM: Final = "s3+http://KEY:SECRET@HOST:PORT/BUCKET or s3+https://..."
CONNECTIONS: Final = 16
PAGES_MAX: Final = 200
"""Of a listing: nothing that is listed here has as many keys."""
ABSENT: Final = 404
_WRITES: Final = frozenset({"put_object", "copy_object", "complete_multipart_upload"})
Refusal = tuple[int, str]
"""The status and the code of an error."""


@attrs.frozen
class Bucket:
    """The part of a bucket whose keys begin with ``prefix``. Its methods take and return keys without it.

    Every method raises NotJudged if no answer comes, or one that says nothing of a claim.
    """

    client: BaseClient
    name: str
    prefix: str
    _written: set[str] = attrs.field(factory=set, eq=False, init=False)
    """Keys that may be there, whatever a listing says."""

    def request(self, operation: str, key: str | None = None, **parameters: object) -> Mapping[str, object]:
        """One request, by boto3's name for it. Nothing is retried.

        Raises:
            ClientError: the store has refused it.
        """
        named: dict[str, object] = {"Bucket": self.name, **parameters}
        if key is not None:
            named["Key"] = self.prefix + key
            if operation in _WRITES:
                self._written.add(key)
        try:
            answer: Mapping[str, object] = getattr(self.client, operation)(**named)
        except BotoCoreError as error:
            raise NotJudged(f"no answer: {operation}: {error}") from error
        except ClientError as error:
            raise_unless_judged(error)
            raise
        return answer

    def refusal(self, operation: str, key: str | None = None, **parameters: object) -> Refusal | None:
        """How it was refused; None: it was not."""
        try:
            answer = self.request(operation, key, **parameters)
        except ClientError as error:
            return _refusal(error)
        if isinstance(body := answer.get("Body"), StreamingBody):  # its connection stays in use until it is read
            body.close()
        return None

    def put(self, key: str, body: bytes, **parameters: object) -> str:
        """Write an object; its ETag."""
        return str(self.request("put_object", key, Body=body, **parameters)["ETag"])

    def place(self, *keys: str, body: bytes = b"") -> None:
        """Write objects that a claim needs, and is not about. Raises NotJudged if they are refused."""
        for key in keys:
            refusal = self.refusal("put_object", key, Body=body)
            if refusal is not None:
                # A store on a file system cannot have both a and a/b.
                beside = f" beside {', '.join(map(repr, keys[: keys.index(key)]))}" if key != keys[0] else ""
                raise NotJudged(f"what it needs cannot be written: {key!r}{beside}: {refusal[0]} {refusal[1]}")

    def get(self, key: str, **parameters: object) -> bytes:
        """Read an object. Raises BotoCoreError if its body breaks off: by then the status and the header have come."""
        content: bytes = self.request("get_object", key, **parameters)["Body"].read()  # type: ignore[attr-defined]  # a stream of botocore
        return content

    def found(self, key: str) -> bytes | None:
        """Read an object; None: there is none.

        Raises:
            NotConforming: another error than ``404 NoSuchKey``.
        """
        try:
            return self.get(key)
        except ClientError as error:
            if _refusal(error) == (404, "NoSuchKey"):
                return None
            raise NotConforming(f"get {key!r}: expected 404 NoSuchKey, found {_refusal(error)}") from error

    def pages(self, prefix: str = "", **parameters: object) -> Iterator[Mapping[str, object]]:
        """The pages of a listing (version 2), followed by their continuation tokens."""
        wanted: dict[str, object] = {"Prefix": self.prefix + prefix, **parameters}
        for _ in range(PAGES_MAX):
            page = self.request("list_objects_v2", None, **wanted)
            yield page
            if not page.get("IsTruncated"):  # absent counts as the last page
                return
            if not page.get("NextContinuationToken"):  # else the first page would be requested for ever
                raise NotConforming("list: a page that is not the last one has no continuation token")
            # The other parameters must be repeated on every page.
            wanted["ContinuationToken"] = page["NextContinuationToken"]
        raise NotConforming(f"list: expected an end after some pages, found more than {PAGES_MAX}")

    def keys(self, prefix: str = "", **parameters: object) -> list[str]:
        """The keys of a whole listing, in the order in which they come."""
        return [self.short(key) for page in self.pages(prefix, **parameters) for key in column(page, "Contents", "Key")]

    def short(self, key: str) -> str:
        """A key without the prefix."""
        return key.removeprefix(self.prefix)

    def answers(self) -> bool:
        """Whether it answers."""
        try:
            self.refusal("head_bucket")
        except NotJudged:
            return False
        return True

    def clear(self) -> int:
        """Delete everything under the prefix, uploads in parts included; how many keys could not be deleted."""
        keys = set(self._written)
        # Each request to a store that is silent takes a timeout.
        if not self.answers():
            return len(keys)
        with contextlib.suppress(ClientError, NotJudged, NotConforming, KeyError):
            keys.update(self.keys())
        # Parts of an open upload are in no listing of keys, and are billed until the upload is aborted.
        self._abort()
        return sum(not self._deleted(key) for key in sorted(keys))

    def _abort(self) -> None:
        """End the uploads that a claim has left open, where the store can list them."""
        with contextlib.suppress(ClientError, NotJudged, KeyError, ValueError):
            answer = self.request("list_multipart_uploads", Prefix=self.prefix)
            ids = column(answer, "Uploads", "UploadId")  # one page, a thousand uploads: a claim opens one
            for key, upload in zip(column(answer, "Uploads", "Key"), ids, strict=True):
                self.refusal("abort_multipart_upload", self.short(key), UploadId=upload)

    def _deleted(self, key: str) -> bool:
        try:
            refusal = self.refusal("delete_object", key)
        except NotJudged:
            return False
        return refusal is None or refusal[0] == ABSENT


def column(answer: Mapping[str, object], rows: str, name: str) -> list[str]:
    """One value of each row of an answer."""
    found = answer.get(rows, [])
    assert isinstance(found, Sequence)
    return [str(row[name]) for row in found]


def metadata(answer: Mapping[str, object]) -> Mapping[str, str]:
    """The metadata of an object. Names are those of headers, whose case says nothing."""
    found = answer.get("Metadata", {})
    assert isinstance(found, Mapping)
    return {str(name).lower(): str(value) for name, value in found.items()}  # sent as x-amz-meta-NAME


def _refusal(error: ClientError) -> Refusal:
    return error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"]


def open_bucket(dsn: str, seconds: float) -> Callable[[str], Bucket]:
    """What a DSN names: the bucket, for each prefix. seconds: how long an answer may take.

    Raises:
        Unusable: it is no DSN of this form, or the bucket is not there.
    """
    name = hide_secrets(dsn)
    try:
        address = Address.of(dsn)
        bucket, _, prefix = unquote(address.path).partition("/")  # keys of a bucket begin without a slash
        if not address.url.startswith(("http:", "https:")):
            raise ValueError(f"{address.url.partition(':')[0]!r} is neither http nor https")
        if not (address.host and bucket and all(address.credentials or ("",))):
            raise ValueError("a key, a secret, a host or a bucket is missing")
        config = Config(
            retries={"total_max_attempts": 1},  # a retried PUT with If-None-Match fails on its own first try
            connect_timeout=seconds,
            read_timeout=seconds,
            max_pool_connections=CONNECTIONS,
            # Since 1.36 boto3 adds a CRC to each upload by default, and stores that do not know it refuse the request.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={"addressing_style": "path"},  # BUCKET.HOST would need a name in DNS
        )
        client = attrs.evolve(address, region=address.region or REGION).client("s3", config)
    except (ValueError, BotoCoreError) as error:
        raise Unusable(f"{name}: {error}; expected {FORM}") from None
    found = Bucket(client, bucket, prefix)
    try:
        refusal = found.refusal("head_bucket")  # HEAD has no body, hence only the status is shown below
    except NotJudged as error:
        raise Unusable(f"{name}: {error}; start the store, or name another one") from None
    if refusal is not None:
        raise Unusable(f"{name}: the bucket {bucket!r} is refused with {refusal[0]}; create it, or name another one")
    return lambda more: attrs.evolve(found, prefix=prefix + more)
