"""Objects in S3, and in what speaks its protocol.

A look is a HEAD for each object, many at once. A delete is one request for a thousand objects, which answers for each
of them by itself; a key that XML cannot hold goes by a request of its own. With each key goes the ETag that the look
has found (``If-Match``): S3 deletes nothing else then. A store that does not know the condition ignores it.

HEAD tells seconds. What S3 has beside, conditions on size and time, is for directory buckets alone; a condition
together with a version is refused, so none is named, and in a bucket with versions a delete makes a delete marker.
Source: docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-deletes.html; API_ObjectIdentifier.html.
"""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, cast

from lakeproof.spark_checks.sweep.journal import DELETED, NO_ANSWER, PUT_AGAIN, VANISHED, End, Entry
from lakeproof.spark_checks.sweep.marks import unquote
from lakeproof.spark_checks.sweep.second_look import SECOND, Found
from lakeproof.spark_checks.sweep.targets import WIDEST, Look, Pace, Trouble, beneath
from lakeproof.words import Unusable

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError, CredentialRetrievalError, NoCredentialsError
except ImportError as error:
    raise Unusable(f"spark sweep: {error.name} is not installed; pip install 'lakeproof[sweep]'") from error

TRIES: Final = 10
"""Of a request that was throttled, or whose connection broke: boto3 waits longer after each."""
_NOT_IN_XML: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\ufffe\uffff]")
_ENDPOINTS: Final = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_ABSENT: Final = frozenset({"404", "NoSuchKey", "NotFound"})
_REFUSED: Final = frozenset(
    {"AccessDenied", "InvalidArgument", "InvalidRequest", "KeyTooLongError", "MethodNotAllowed", "NotImplemented"}
)
"""What an answer says of a key to which nothing was done. After any other error some stores have deleted it, or parts
of it: MinIO says ``SlowDownWrite`` where too few of its disks have answered."""

Answer = dict[str, object]


class S3:
    """A bucket, or what begins with a prefix in it. ``base``: what stands in the addresses of a run for ``where``."""

    unit = SECOND

    def __init__(
        self, where: str, *, base: str, pace: Pace, at_once: int, endpoint: str | None = None, match: bool = True
    ) -> None:
        self._bucket, _, prefix = where.partition("://")[2].partition("/")
        self._prefix = f"{prefix}/" if prefix else ""
        self._where, self._base, self._pace, self._match = where, base, pace, match
        self._pool = ThreadPoolExecutor(at_once)
        # Names of buckets as parts of a host name need a DNS that few compatible stores have.
        styles = {"addressing_style": "path"} if endpoint or any(map(os.environ.get, _ENDPOINTS)) else {}
        # A connection for each thread: beyond the default of 10, connections would be opened and dropped again.
        config = Config(s3=styles, max_pool_connections=at_once, retries={"mode": "standard", "max_attempts": TRIES})
        try:
            self._client = boto3.session.Session().client("s3", endpoint_url=endpoint, config=config)
            # A missing bucket would otherwise look like one from which every object is gone.
            self._client.head_bucket(Bucket=self._bucket)
        except (BotoCoreError, ClientError, ValueError) as error:
            raise self._unreachable(error) from None

    def name(self, address: str) -> str:
        return self._prefix + beneath(self._base, address)

    def look(self, names: Sequence[str]) -> list[Look]:
        try:
            return list(self._pool.map(self._look, names))
        except BotoCoreError as error:
            raise self._unreachable(error) from None

    def _look(self, name: str) -> Look:
        self._pace.wait()
        try:
            head = self._client.head_object(Bucket=self._bucket, Key=name)
        except ClientError as error:
            # HEAD has no body: the code is the bare status, "404". Without the right to list, S3 answers 403 instead.
            return None if _code(error) in _ABSENT else Trouble(_describe(error))
        moment = head["LastModified"]
        return Found(
            int(head["ContentLength"]),
            # Whole seconds anyway: rounding only undoes what a float may add.
            round(moment.timestamp()) * SECOND,
            unquote(head["ETag"]) if head.get("ETag") else None,
            head.get("VersionId"),
        )

    def delete(self, there: Sequence[tuple[str, Found]]) -> list[Entry]:
        fates: dict[str, Entry] = {}
        # A key with characters that XML forbids, or that a parser may change, would arrive as another key.
        together = [each for each in there if not _NOT_IN_XML.search(each[0])]
        alone = [each for each in there if _NOT_IN_XML.search(each[0])]
        if together:
            fates |= self._delete_together(together)
        fates |= zip((name for name, _ in alone), self._pool.map(self._delete_alone, alone), strict=True)
        return [fates[name] for name, _ in there]

    def _delete_together(self, there: Sequence[tuple[str, Found]]) -> dict[str, Entry]:
        """A request answers 200 whatever becomes of its keys: only those that it names as deleted are."""
        self._pace.wait()
        keys = [{"Key": name} | self._condition(found, "ETag") for name, found in there]
        try:
            answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": keys, "Quiet": False})
        except (ClientError, BotoCoreError) as error:
            # The request as a whole: every key has the same fate.
            return dict.fromkeys((name for name, _ in there), _fate(error))
        # In doubt until the answer says otherwise; an error for a key outweighs its deletion.
        fates = {name: Entry(End.PERHAPS, NO_ANSWER, "the answer does not name it") for name, _ in there}
        fates |= {str(each["Key"]): DELETED for each in _rows(answer, "Deleted")}
        fates |= {str(each["Key"]): _fate_of(each) for each in _rows(answer, "Errors")}
        return fates

    def _delete_alone(self, there: tuple[str, Found]) -> Entry:
        name, found = there
        self._pace.wait()
        try:
            self._client.delete_object(Bucket=self._bucket, Key=name, **self._condition(found, "IfMatch"))
        except (ClientError, BotoCoreError) as error:
            return _fate(error)
        return DELETED

    def _condition(self, found: Found, name: str) -> dict[str, str]:
        # In quotes, as HTTP has ETags.
        return {name: f'"{found.e_tag}"'} if self._match and found.e_tag else {}

    def _unreachable(self, error: Exception) -> Unusable:
        if isinstance(error, NoCredentialsError | CredentialRetrievalError):
            repair = "give them in the environment or in ~/.aws, as for Amazon's own tools"
        elif isinstance(error, ClientError) and _code(error) in _ABSENT:
            repair = "name the bucket of the objects"
        elif isinstance(error, ClientError):
            repair = "the sweep needs s3:ListBucket, s3:GetObject and s3:DeleteObject"
        else:
            repair = "see that it can be reached, and sweep the run again"
        return Unusable(f"{self._where}: cannot be looked at ({_describe(error)}); {repair}")


def _rows(answer: Answer, name: str) -> list[Answer]:
    return cast("list[Answer]", answer.get(name, []))


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _describe(error: Exception) -> str:
    return " ".join(str(error).split())[:WIDEST]


def _fate(error: Exception) -> Entry:
    """Of a request that failed as a whole."""
    doubt = Entry(End.PERHAPS, NO_ANSWER, _describe(error))
    # No answer came: the request may have been carried out.
    if not isinstance(error, ClientError):
        return doubt
    status, code = int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)), _code(error)
    # A server that fails may have deleted before it failed.
    if status >= 500 or not status or code == "RequestTimeout":
        return doubt
    return _fate_of_code(code) or Entry(End.FAILED, _describe(error))


def _fate_of(row: Answer) -> Entry:
    """Of a key that a request names as not deleted."""
    code, message = str(row.get("Code", "")), str(row.get("Message", ""))
    reason = f"{code}: {message}".rstrip(": ")[:WIDEST]
    refused = Entry(End.FAILED, reason) if code in _REFUSED else Entry(End.PERHAPS, NO_ANSWER, reason)
    return _fate_of_code(code) or refused


def _fate_of_code(code: str) -> Entry | None:
    """None: the code alone does not say."""
    if code in _ABSENT or code.startswith("404"):
        return VANISHED
    return PUT_AGAIN if code.startswith(("PreconditionFailed", "412")) else None
