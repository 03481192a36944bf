"""What table formats and engines rely on of an object store that speaks S3: one function for each claim, on keys that
nothing else uses.

A claim returns if it is kept, and raises `NotConforming` if not. It shows as much as it looks at: its concurrent claims
find lost updates with the schedules that happen, not with all that could. Source: Amazon S3 API Reference.

Example: a store passes over conditions. Two claims are refuted, by one client and by five at once. Of a store that
answers 501 NotImplemented they are not judged: it lacks the operation, and promises nothing of it. ::

    a put that must create is refused where something is: put_object of 'a' (Body=b'2', IfNoneMatch='*'):
        expected 412 PreconditionFailed, found that it succeeds
    one of many concurrent creators wins: the contents of the creators that won:
        expected [b'3'], found [b'0', b'1', b'2', b'3', b'4']
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from typing import Final

import attrs
from botocore.exceptions import BotoCoreError, ClientError

from lakeproof.impl.stores.conformance import NotConforming, NotJudged, claim_text
from lakeproof.impl.stores.kv_answers import equal, short
from lakeproof.stores.concurrently import run_concurrently
from lakeproof.stores.s3_bucket import Bucket, Refusal, column, metadata

Claim = Callable[[Bucket], None]

TASKS: Final = 5
ROUNDS: Final = 6
PART: Final = 5 << 20
"""The fewest bytes of a part that is not the last one."""
FAILED: Final[Refusal] = (412, "PreconditionFailed")
CONFLICT: Final = (409, 412)
"""How a conditional write may be refused that has lost a race."""
# Names that stores confuse: a%2Fb decoded twice is a/b; a+b and "a b" are one in a query; and in UTF-16 😀 comes before
# U+FFEE, in UTF-8 behind it.
KEYS: Final = ("B", "a", "a b", "a%2Fb", "a+b", "a/", "a/b", "a/b/c", "a//b", "ab", "b", "é", "z'\"&<>", "\uffee", "😀")


def check_claim(claim: Claim, bucket: Bucket) -> None:
    """Raises NotConforming if a claim is not kept; NotJudged if nothing is found out about it."""
    name = claim_text(claim)
    try:
        claim(bucket)
    # Before the others: its own verdict only gets the name of the claim in front.
    except (NotConforming, NotJudged) as error:
        raise type(error)(f"{name}: {error}") from error
    except ClientError as error:
        raise NotConforming(f"{name}: unexpectedly refused: {error}") from error
    except BotoCoreError as error:  # a body that breaks off is no error of its request
        raise NotJudged(f"{name}: no answer: {error}") from error
    except (KeyError, ValueError) as error:
        raise NotConforming(f"{name}: an answer lacks a part, or it is malformed: {error!r}") from error


def expect_error(
    bucket: Bucket, expected: Refusal, operation: str, key: str | None = None, **parameters: object
) -> None:
    """Raises NotConforming if it is not refused in this way."""
    found = bucket.refusal(operation, key, **parameters)
    if found != expected:
        shown = ", ".join(f"{name}={short(value)}" for name, value in parameters.items())
        raise NotConforming(
            f"{operation} of {key!r} ({shown}): expected {expected[0]} {expected[1]}, "
            + ("found that it succeeds" if found is None else f"found {found[0]} {found[1]}")
        )


def an_object_is_read_as_written(bucket: Bucket) -> None:
    # The last one is short again: a store that overwrites in place would keep the rest of the long one.
    for content in (b"v", b"", b"\0\n", bytes(range(256)), b"x" * 1_000_000, b"y"):
        etag = bucket.put("a", content, Metadata={"k": "v"}, ContentType="text/x")
        equal("get after put", bucket.get("a"), content)
        head = bucket.request("head_object", "a")
        seen = head["ContentLength"], head["ETag"], metadata(head), head["ContentType"]
        equal("head after put", seen, (len(content), etag, {"k": "v"}, "text/x"))


def a_write_and_a_delete_are_seen_at_once_by_every_read(bucket: Bucket) -> None:
    for number in range(ROUNDS):
        content = str(number).encode()
        etag = bucket.put("a", content)
        if number % 2:  # what comes first has had the least time
            equal("get after put", bucket.get("a"), content)
        etags = [each for page in bucket.pages() for each in column(page, "Contents", "ETag")]
        # The ETag tells the new object from the one of an earlier round, which a stale index would list.
        equal("the ETags of a listing after put", etags, [etag])
        equal("the ETag of head after put", bucket.request("head_object", "a")["ETag"], etag)
        equal("get after put", bucket.get("a"), content)
        bucket.request("delete_object", "a")
        if number % 2:
            equal("get after delete", bucket.found("a"), None)
        equal("a listing after delete", bucket.keys(), [])
        equal("get after delete", bucket.found("a"), None)


def an_absent_object_is_an_error_with_its_code(bucket: Bucket) -> None:
    bucket.place("a/b")  # whose key begins with the other one
    expect_error(bucket, (404, "NoSuchKey"), "get_object", "a")
    expect_error(bucket, (404, "404"), "head_object", "a")  # without a body there is no code
    source = {"Bucket": bucket.name, "Key": f"{bucket.prefix}a"}
    expect_error(bucket, (404, "NoSuchKey"), "copy_object", "c", CopySource=source)
    for _ in range(2):  # a delete is idempotent
        equal("a delete of an absent object", bucket.refusal("delete_object", "a"), None)


def keys_are_any_characters_and_are_listed_in_the_order_of_their_bytes(bucket: Bucket) -> None:
    # Written in another order than the expected one.
    for key in sorted(KEYS, key=lambda each: each[::-1]):
        bucket.put(key, key.encode())
    for key in KEYS:
        equal(f"get {key!r}", bucket.get(key), key.encode())
    equal("the listing", bucket.keys(), sorted(KEYS, key=str.encode))


def a_listing_in_pages_is_complete(bucket: Bucket) -> None:
    keys = sorted(["a", "a/b", "a/c", "a/c/d", "ab", "b", "é"], key=str.encode)
    bucket.place(*keys)
    for size in range(1, len(keys) + 2):  # up to one more than there are keys
        equal(f"a listing in pages of {size}", bucket.keys(MaxKeys=size), keys)
        for prefix in ("a/", "x"):
            expected = [each for each in keys if each.startswith(prefix)]
            equal(f"a listing of {prefix!r} in pages of {size}", bucket.keys(prefix, MaxKeys=size), expected)
    for after in (*keys, "a/bb", "c", "zz"):  # start-after need not be a key
        expected = [each for each in keys if each.encode() > after.encode()]
        equal(f"a listing after {after!r}", bucket.keys(StartAfter=bucket.prefix + after, MaxKeys=2), expected)


def a_listing_with_a_delimiter_has_each_group_once(bucket: Bucket) -> None:
    bucket.place("a/1", "a/2", "b", "c/d/1", "c/e", "d")
    for size in (1, 2, 3, 1000):
        pages = list(bucket.pages(Delimiter="/", MaxKeys=size))
        # A group whose keys lie on both sides of a page break must not come twice. It counts as one entry of MaxKeys,
        # like a key.
        groups = [bucket.short(each) for page in pages for each in column(page, "CommonPrefixes", "Prefix")]
        equal(f"the groups in pages of {size}", groups, ["a/", "c/"])
        keys = [bucket.short(each) for page in pages for each in column(page, "Contents", "Key")]
        equal(f"the keys in pages of {size}", keys, ["b", "d"])
        for page in pages:
            count = len(column(page, "CommonPrefixes", "Prefix")) + len(column(page, "Contents", "Key"))
            if count > size:
                raise NotConforming(f"a page of at most {size} has {count} keys and groups")
    inner = [column(page, "CommonPrefixes", "Prefix") for page in bucket.pages("c/", Delimiter="/")]
    equal("the groups under c/", inner, [[f"{bucket.prefix}c/d/"]])


def what_is_there_all_the_time_is_listed_once_whatever_is_written_between_two_pages(bucket: Bucket) -> None:
    bucket.place("a", "b", "c", "d", "e")
    seen = []
    for number, page in enumerate(bucket.pages(MaxKeys=2)):
        seen += [bucket.short(key) for key in column(page, "Contents", "Key")]
        # Only what is there all the time is promised. The key "b" ends the first page: a store that looks for it to go
        # on fails.
        if number == 0:
            bucket.request("delete_object", "b")  # where the next page continues
            bucket.put("aa", b"")
            bucket.put("cc", b"")
    equal("the keys that were there all the time", [key for key in seen if key in "acde"], ["a", "c", "d", "e"])


def ranges_are_read(bucket: Bucket) -> None:
    bucket.place("a", body=b"0123456789")
    # Both ends count (RFC 9110, 14.1.2); "-3" is the last three bytes; an end behind the content is cut to it.
    for span, first, last in (("0-0", 0, 0), ("2-4", 2, 4), ("7-", 7, 9), ("-3", 7, 9), ("5-99", 5, 9), ("-99", 0, 9)):
        answer = bucket.request("get_object", "a", Range=f"bytes={span}")
        with closing(answer["Body"]) as body:  # type: ignore[type-var]  # a stream of botocore; one that breaks off stays open
            seen = answer["ContentRange"], answer["ContentLength"], answer["ResponseMetadata"]
            assert isinstance(seen[2], dict)
            status, length = seen[2]["HTTPStatusCode"], last - first + 1
            equal(f"range {span}", (status, *seen[:2]), (206, f"bytes {first}-{last}/10", length))
            equal(f"the content of range {span}", body.read(), b"0123456789"[first : last + 1])  # type: ignore[attr-defined]
    # A range that begins behind the content cannot be satisfied, other than one that ends there.
    expect_error(bucket, (416, "InvalidRange"), "get_object", "a", Range="bytes=10-12")


def a_read_may_be_conditional(bucket: Bucket) -> None:
    old = bucket.put("a", b"1")
    new = bucket.put("a", b"2")
    equal("get with the right If-Match", bucket.get("a", IfMatch=new), b"2")
    equal("get with another If-None-Match", bucket.get("a", IfNoneMatch=old), b"2")
    expect_error(bucket, FAILED, "get_object", "a", IfMatch=old)
    equal("the status of get with its ETag in If-None-Match", _status(bucket, "a", IfNoneMatch=new), 304)


def _status(bucket: Bucket, key: str, **parameters: object) -> int:
    found = bucket.refusal("get_object", key, **parameters)
    return 200 if found is None else found[0]


def a_put_that_must_create_is_refused_where_something_is(bucket: Bucket) -> None:
    bucket.put("a", b"", IfNoneMatch="*")  # an empty object is an object
    expect_error(bucket, FAILED, "put_object", "a", Body=b"2", IfNoneMatch="*")
    equal("what was refused has written nothing: get", bucket.get("a"), b"")
    bucket.request("delete_object", "a")
    bucket.put("a", b"3", IfNoneMatch="*")
    equal("get", bucket.get("a"), b"3")


def a_put_on_an_etag_replaces_that_content_only(bucket: Bucket) -> None:
    old = bucket.put("a", b"1")
    new = bucket.put("a", b"2", IfMatch=old)
    expect_error(bucket, FAILED, "put_object", "a", Body=b"3", IfMatch=old)
    equal("what was refused has written nothing: get", bucket.get("a"), b"2")
    bucket.request("delete_object", "a")
    # Amazon answers 404 here, some stores 412. Success would resurrect a deleted object.
    refusal = bucket.refusal("put_object", "a", Body=b"3", IfMatch=new)
    if refusal is None or refusal[0] not in (404, 412):
        raise NotConforming(f"put with If-Match where nothing is: expected 404 or 412, found {refusal or 'success'}")
    equal("what was refused has written nothing: get", bucket.found("a"), None)


def one_of_many_concurrent_creators_wins(bucket: Bucket) -> None:
    for number in range(ROUNDS):
        key = f"a{number}"

        puts = [
            partial(bucket.refusal, "put_object", key, Body=str(me).encode(), IfNoneMatch="*") for me in range(TASKS)
        ]
        # A store that checks first and writes then lets several creators pass.
        answers = run_concurrently(puts)
        _only_lost(answers)
        winners = [str(me).encode() for me, answer in enumerate(answers) if answer is None]
        # One winner, and the object is its own: a loser that was refused has written nothing.
        equal("the contents of the creators that won", winners, [bucket.get(key)])


def _only_lost(answers: Sequence[Refusal | None]) -> None:
    other = [each for each in answers if each is not None and each[0] not in CONFLICT]
    if other:
        raise NotConforming(f"a conditional put that has lost: expected 412 or 409, found {other[0]}")


def concurrent_increments_by_etag_are_all_kept(bucket: Bucket) -> None:
    bucket.place("n", body=b"0")

    def increment() -> None:
        for _ in range(ROUNDS):
            # Each failure is another task's success, of which there are TASKS * ROUNDS at most, or a conflict (409).
            # The factor leaves room for these.
            for _ in range(20 * TASKS * ROUNDS):
                answer = bucket.request("get_object", "n")
                following = str(int(answer["Body"].read()) + 1).encode()  # type: ignore[attr-defined]
                refusal = bucket.refusal("put_object", "n", Body=following, IfMatch=answer["ETag"])
                _only_lost([refusal])
                if refusal is None:
                    break
            else:
                raise NotConforming(f"put with If-Match failed {20 * TASKS * ROUNDS} times in a row")

    run_concurrently([increment] * TASKS)
    equal("the counter", int(bucket.get("n")), TASKS * ROUNDS)


def an_object_is_seen_whole_while_it_is_overwritten(bucket: Bucket) -> None:
    # Each content is one repeated digit, so that a mixture of two shows.
    contents = [str(number).encode() * 100_000 for number in range(10)]
    bucket.place("a", body=contents[0])

    def write() -> None:
        for content in contents:
            bucket.put("a", content)

    def read() -> None:
        for _ in contents:
            found = bucket.get("a")
            if found not in contents:
                raise NotConforming(f"get: expected what was put, found {short(found)}")

    run_concurrently([write, read, read])


def a_copy_takes_content_and_metadata_or_replaces_them(bucket: Bucket) -> None:
    source = {"Bucket": bucket.name, "Key": f"{bucket.prefix}a"}
    bucket.put("a", b"1", Metadata={"k": "v"})
    bucket.request("copy_object", "b/é 1", CopySource=source)
    equal("a copy", bucket.get("b/é 1"), b"1")
    equal("its metadata", metadata(bucket.request("head_object", "b/é 1")), {"k": "v"})
    # A copy onto itself is allowed only if it changes something, such as the metadata.
    bucket.request("copy_object", "a", CopySource=source, MetadataDirective="REPLACE", Metadata={"k": "w"})
    equal("metadata after a copy onto itself", metadata(bucket.request("head_object", "a")), {"k": "w"})


def many_keys_are_deleted_at_once(bucket: Bucket) -> None:
    keys = ["a", "b&c", "d/é"]
    bucket.place(*keys, "e")
    objects = [{"Key": bucket.prefix + key} for key in (*keys, "absent")]  # an absent key counts as deleted
    answer = bucket.request("delete_objects", Delete={"Objects": objects})
    deleted = {bucket.short(key) for key in column(answer, "Deleted", "Key")}
    equal("the keys that the answer names as deleted", deleted, {*keys, "absent"})
    equal("what is left", bucket.keys(), ["e"])


def _begin_upload(bucket: Bucket, key: str) -> str:
    return str(bucket.request("create_multipart_upload", key, Metadata={"k": "v"})["UploadId"])


def _part(bucket: Bucket, key: str, upload: str, number: int, body: bytes) -> dict[str, object]:
    answer = bucket.request("upload_part", key, UploadId=upload, PartNumber=number, Body=body)
    return {"PartNumber": number, "ETag": answer["ETag"]}


def an_upload_in_parts_is_seen_when_it_is_complete_and_whole(bucket: Bucket) -> None:
    contents = b"1" * PART, b"2" * PART, b"end"
    bucket.place("a", body=b"before")
    upload = _begin_upload(bucket, "a")
    _part(bucket, "a", upload, 1, b"0" * PART)  # and is replaced
    # Parts are put together by their numbers, whatever the order in which they came.
    parts = [_part(bucket, "a", upload, number, contents[number - 1]) for number in (3, 1, 2)]
    parts.sort(key=lambda part: str(part["PartNumber"]))
    equal("before it is complete: get", bucket.get("a"), b"before")
    equal("before it is complete: the listing", bucket.keys(), ["a"])
    whole = b"".join(contents)

    def complete() -> None:
        bucket.request("complete_multipart_upload", "a", UploadId=upload, MultipartUpload={"Parts": parts})

    def read() -> None:
        for _ in range(ROUNDS):
            found = bucket.get("a")
            if found not in (b"before", whole):
                raise NotConforming(f"get beside a completion: expected all or nothing, found {short(found)}")

    run_concurrently([complete, read])
    found = bucket.get("a")
    if found != whole:
        raise NotConforming(f"get after completion: expected {len(whole)} bytes in order, found {short(found)}")
    equal("its metadata", metadata(bucket.request("head_object", "a")), {"k": "v"})


def an_upload_that_is_aborted_leaves_nothing(bucket: Bucket) -> None:
    upload = _begin_upload(bucket, "a")
    part = _part(bucket, "a", upload, 1, b"x")
    bucket.request("abort_multipart_upload", "a", UploadId=upload)
    gone = (404, "NoSuchUpload")
    done = {"UploadId": upload, "MultipartUpload": {"Parts": [part]}}
    expect_error(bucket, gone, "complete_multipart_upload", "a", **done)
    expect_error(bucket, gone, "upload_part", "a", UploadId=upload, PartNumber=1, Body=b"x")
    # An upload that was refused or aborted has made no object, not even an empty one.
    equal("get", bucket.found("a"), None)


def an_upload_is_completed_of_its_own_parts_in_order(bucket: Bucket) -> None:
    upload = _begin_upload(bucket, "a")
    one, two = (_part(bucket, "a", upload, number, str(number).encode() * PART) for number in (1, 2))
    # An ETag of the right form, of another content: what is refused is the part, not the request.
    wrong = {"PartNumber": 1, "ETag": '"' + hashlib.md5(b"other", usedforsecurity=False).hexdigest() + '"'}
    for parts, code in (([wrong], "InvalidPart"), ([two, one], "InvalidPartOrder")):
        parameters = {"UploadId": upload, "MultipartUpload": {"Parts": parts}}
        expect_error(bucket, (400, code), "complete_multipart_upload", "a", **parameters)
    equal("get", bucket.found("a"), None)
    bucket.request("abort_multipart_upload", "a", UploadId=upload)


def an_upload_that_must_create_is_refused_where_something_is(bucket: Bucket) -> None:
    upload = _begin_upload(bucket, "a")
    part = _part(bucket, "a", upload, 1, b"parts")
    bucket.place("a", body=b"first")
    done = {"UploadId": upload, "MultipartUpload": {"Parts": [part]}, "IfNoneMatch": "*"}
    expect_error(bucket, FAILED, "complete_multipart_upload", "a", **done)
    equal("what was refused has written nothing: get", bucket.get("a"), b"first")
    bucket.refusal("abort_multipart_upload", "a", UploadId=upload)


def a_bucket_that_is_not_there_is_an_error_with_its_code(bucket: Bucket) -> None:
    # Names of buckets are unique among all users of Amazon, so a common name might be another user's, and answer 403.
    other = attrs.evolve(bucket, name="lakeproof-there-is-no-such-bucket")
    expect_error(other, (404, "NoSuchBucket"), "list_objects_v2")
    expect_error(other, (404, "NoSuchBucket"), "put_object", "a", Body=b"")
    expect_error(other, (404, "NoSuchBucket"), "get_object", "a")


CLAIMS: Final[tuple[Claim, ...]] = (
    an_object_is_read_as_written,
    a_write_and_a_delete_are_seen_at_once_by_every_read,
    an_absent_object_is_an_error_with_its_code,
    a_bucket_that_is_not_there_is_an_error_with_its_code,
    keys_are_any_characters_and_are_listed_in_the_order_of_their_bytes,
    a_listing_in_pages_is_complete,
    a_listing_with_a_delimiter_has_each_group_once,
    what_is_there_all_the_time_is_listed_once_whatever_is_written_between_two_pages,
    ranges_are_read,
    a_read_may_be_conditional,
    a_put_that_must_create_is_refused_where_something_is,
    a_put_on_an_etag_replaces_that_content_only,
    one_of_many_concurrent_creators_wins,
    concurrent_increments_by_etag_are_all_kept,
    an_object_is_seen_whole_while_it_is_overwritten,
    a_copy_takes_content_and_metadata_or_replaces_them,
    many_keys_are_deleted_at_once,
    an_upload_in_parts_is_seen_when_it_is_complete_and_whole,
    an_upload_that_is_aborted_leaves_nothing,
    an_upload_is_completed_of_its_own_parts_in_order,
    an_upload_that_must_create_is_refused_where_something_is,
)
