"""The S3 front, as boto3 and obstore see it: what real clients ask for, and the errors that they rely on."""

import base64
import hashlib
import io
from collections.abc import Iterator, Mapping

import attrs
import pytest
from botocore.client import BaseClient

from lakeproof.gate.fronts.footprints import Footprint, Touch
from lakeproof.gate.fronts.http import Request, Response
from lakeproof.gate.fronts.s3.front import S3Front
from lakeproof.gate.fronts.s3.operations import perform
from lakeproof.gate.fronts.s3.state import BucketState, upload_id
from lakeproof.gate.fronts.s3.wire import S3Error, S3Request, parse_request
from lakeproof.model.objects import StoredObject, etag
from tests.gate.dynamodb_server import client
from tests.gate.stores import refused, served


@pytest.fixture(scope="module")
def client_of_s3() -> Iterator[BaseClient]:
    """Of an S3 with the bucket ``b``, in a thread of its own."""
    with served("b") as store:
        made = client(store.url, service="s3")
        yield made
        made.close()


@pytest.fixture
def s3(client_of_s3: BaseClient) -> Iterator[BaseClient]:
    """With an empty bucket."""
    made = client_of_s3
    yield made
    for each in made.list_objects_v2(Bucket="b").get("Contents", []):
        made.delete_object(Bucket="b", Key=each["Key"])


FAILED = (412, "PreconditionFailed")


def refusal(s3: BaseClient, operation: str, *of: Mapping[str, object], **more: object) -> tuple[int, str]:
    return refused(s3, operation, *of, **more)[:2]


def upload(s3: BaseClient, *bodies: bytes, **made: object) -> tuple[dict[str, str], list[dict[str, object]]]:
    """An upload in parts of ``k``, and its parts."""
    key = {"Bucket": "b", "Key": "k"}
    of = {**key, "UploadId": s3.create_multipart_upload(**key, **made)["UploadId"]}
    etags = [s3.upload_part(**of, PartNumber=n, Body=each, **made)["ETag"] for n, each in enumerate(bodies, 1)]
    return of, [{"PartNumber": number, "ETag": each} for number, each in enumerate(etags, 1)]


class TestBoto3:
    @pytest.mark.parametrize("there", [True, False])
    @pytest.mark.parametrize("operation", ["complete_multipart_upload", "copy_object"])
    def test_what_makes_an_object_may_be_conditional_on_what_is_there(
        self, s3: BaseClient, operation: str, there: bool
    ) -> None:
        s3.put_object(Bucket="b", Key="source", Body=b"1")
        etag = s3.put_object(Bucket="b", Key="k", Body=b"2")["ETag"]
        of, parts = upload(s3, b"parts")
        asked: Mapping[str, object] = {**of, "MultipartUpload": {"Parts": parts}}
        if operation == "copy_object":
            asked = {"Bucket": "b", "Key": "k", "CopySource": {"Bucket": "b", "Key": "source"}}
        for condition in ({"IfNoneMatch": "*"}, {"IfMatch": '"other"'}):
            assert refusal(s3, operation, asked, condition) == FAILED
        assert refusal(s3, operation, asked, IfMatch=etag, IfNoneMatch="*") == (501, "NotImplemented")
        if not there:
            s3.delete_object(Bucket="b", Key="k")
        getattr(s3, operation)(**asked, **({"IfMatch": etag} if there else {"IfNoneMatch": "*"}))

    def test_a_small_part_that_is_not_the_last_one_is_refused(self, s3: BaseClient) -> None:
        of, parts = upload(s3, b"x", b"x")
        asked = {**of, "MultipartUpload": {"Parts": parts}}
        assert refusal(s3, "complete_multipart_upload", asked) == (400, "EntityTooSmall")

    def test_parts_are_copied_and_replaced(self, s3: BaseClient) -> None:
        s3.put_object(Bucket="b", Key="source", Body=b"0123456789")
        of, _ = upload(s3, b"replaced")
        source = {"CopySource": {"Bucket": "b", "Key": "source"}, "CopySourceRange": "bytes=2-4"}
        etag = s3.upload_part_copy(**of, PartNumber=1, **source)["CopyPartResult"]["ETag"]
        for behind in ("bytes=2-10", "bytes=10-11"):  # the source may have become shorter: nothing is cut
            asked = {**of, "PartNumber": 1, **source, "CopySourceRange": behind}
            assert refusal(s3, "upload_part_copy", asked) == (400, "InvalidArgument")
        s3.complete_multipart_upload(**of, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": etag}]})
        assert s3.get_object(Bucket="b", Key="k")["Body"].read() == b"234"

    def test_deletes_may_be_conditional(self, s3: BaseClient) -> None:
        key = {"Bucket": "b", "Key": "k"}
        etag = s3.put_object(**key, Body=b"1")["ETag"]
        assert refusal(s3, "delete_object", key, IfMatch='"other"') == FAILED
        told = s3.delete_objects(Bucket="b", Delete={"Objects": [{"Key": "k", "ETag": "other"}]})
        assert [each["Code"] for each in told["Errors"]] == ["PreconditionFailed"]
        s3.delete_object(**key, IfMatch=etag)
        assert refusal(s3, "delete_object", key, IfMatch=etag) == (404, "NoSuchKey")

    def test_a_completion_that_comes_again_is_answered_as_the_first_one(self, s3: BaseClient) -> None:
        of, parts = upload(s3, b"x", b"x")
        one, two = ({"Parts": [each]} for each in parts)
        first = s3.complete_multipart_upload(**of, MultipartUpload=one)
        s3.put_object(Bucket="b", Key="k", Body=b"later")
        assert s3.complete_multipart_upload(**of, MultipartUpload=one)["ETag"] == first["ETag"]
        assert s3.get_object(Bucket="b", Key="k")["Body"].read() == b"later", "nothing was done"
        gone = (404, "NoSuchUpload")
        assert refusal(s3, "complete_multipart_upload", of, MultipartUpload=two) == gone
        assert refusal(s3, "upload_part", of, PartNumber=1, Body=b"y") == gone
        assert refusal(s3, "abort_multipart_upload", of) == gone

    def test_a_checksum_is_told_to_a_client_that_asks_for_it(self, s3: BaseClient) -> None:
        def told(**made: object) -> dict[str, str]:
            s3.put_object(Bucket="b", Key="k", Body=b"123456789", **made)
            found = s3.get_object(Bucket="b", Key="k", ChecksumMode="ENABLED")
            assert found["Body"].read() == b"123456789", "boto3 verifies what it knows"
            return {name: value for name, value in found.items() if name.startswith("Checksum")}

        whole = {"ChecksumType": "FULL_OBJECT"}
        assert told(ChecksumAlgorithm="CRC32") == {"ChecksumCRC32": "y/Q5Jg==", **whole}
        sha1 = base64.b64encode(hashlib.sha1(b"123456789").digest()).decode()  # noqa: S324  # a checksum
        assert told(ChecksumAlgorithm="SHA1") == {"ChecksumSHA1": sha1, **whole}
        of, parts = upload(s3, b"x", ChecksumAlgorithm="SHA1")
        s3.complete_multipart_upload(**of, MultipartUpload={"Parts": parts})
        found = s3.head_object(Bucket="b", Key="k", ChecksumMode="ENABLED")
        part = hashlib.sha1(hashlib.sha1(b"x").digest()).digest()  # noqa: S324  # checksums
        assert found["ChecksumSHA1"] == f"{base64.b64encode(part).decode()}-1"
        assert found["ChecksumType"] == "COMPOSITE"

    def test_a_request_without_the_content_gives_no_checksum_of_it(self, s3: BaseClient) -> None:
        def add_header(params: dict[str, dict[str, str]], **_: object) -> None:
            params["headers"]["x-amz-checksum-crc32"] = "AAAAAA=="

        event = "before-call.s3.CreateMultipartUpload"
        s3.meta.events.register(event, add_header)
        of, parts = upload(s3, b"x", ChecksumAlgorithm="SHA1")
        s3.meta.events.unregister(event, add_header)
        s3.complete_multipart_upload(**of, MultipartUpload={"Parts": parts})
        found = s3.get_object(Bucket="b", Key="k", ChecksumMode="ENABLED")
        assert {name for name in found if name.startswith("Checksum")} == {"ChecksumSHA1", "ChecksumType"}

    def test_a_page_may_end_with_a_name_that_xml_has_no_place_for(self, s3: BaseClient) -> None:
        names = ["k\x01", "k\r1", "k%31"]
        for each in names:
            s3.put_object(Bucket="b", Key=each)
        pages = s3.get_paginator("list_objects_v2").paginate(Bucket="b", PaginationConfig={"PageSize": 1})
        assert [each["Key"] for page in pages for each in page["Contents"]] == sorted(names)

    def test_a_bucket_with_objects_is_not_deleted(self, s3: BaseClient) -> None:
        s3.create_bucket(Bucket="new")
        s3.put_object(Bucket="new", Key="k", Body=b"1")
        assert refusal(s3, "delete_bucket", Bucket="new") == (409, "BucketNotEmpty")
        s3.delete_object(Bucket="new", Key="k")
        s3.delete_bucket(Bucket="new")
        assert "new" not in {each["Name"] for each in s3.list_buckets()["Buckets"]}

    def test_the_signature_of_chunks_and_trailing_checksums(self, s3: BaseClient) -> None:
        for algorithm in ("CRC32", "SHA1", "SHA256"):
            s3.put_object(Bucket="b", Key="k", Body=io.BytesIO(b"x" * 100_000), ChecksumAlgorithm=algorithm)
            assert s3.get_object(Bucket="b", Key="k")["Body"].read() == b"x" * 100_000


def request(method: str = "PUT", path: str = "/b/k", body: bytes = b"", **headers: str) -> Request:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method=method, path=path, query=(), headers=named, body=body)


STATE = BucketState(buckets=frozenset({"b"}), objects={"b/k": StoredObject(b"1")})


def performed(asked: Request) -> tuple[BucketState, Response, Footprint]:
    found = S3Front().understood(asked)
    assert not isinstance(found, Response)
    return S3Front().perform(STATE, found, 0)


class TestWire:
    @pytest.mark.parametrize(
        ("host", "bucket", "key"),
        [
            ("my-bucket.localhost:9000", "my-bucket", "a/k"),
            ("my.bucket.s3.localhost", "my.bucket", "a/k"),
            ("s3.localhost", "a", "k"),
            ("localhost:9000", "a", "k"),
        ],
    )
    def test_a_virtual_host_names_the_bucket(self, host: str, bucket: str, key: str) -> None:
        found = parse_request(request(path="/a/k", host=host))
        assert (found.bucket, found.key) == (bucket, key)

    @pytest.mark.parametrize(
        ("headers", "code"),
        [
            ({"content_md5": "AAAAAAAAAAAAAAAAAAAAAA=="}, "BadDigest"),
            ({"content_md5": "AAAA"}, "InvalidDigest"),
            ({"content_md5": "no digest"}, "InvalidDigest"),
            ({"x_amz_checksum_crc32": "AAAAAA=="}, "BadDigest"),
            ({"x_amz_checksum_crc32": "AAAA"}, "InvalidRequest"),
        ],
    )
    def test_a_body_that_is_not_what_its_checksum_says_is_refused(self, headers: dict[str, str], code: str) -> None:
        with pytest.raises(S3Error, match=code):
            parse_request(request(body=b"x", **headers))

    def test_an_object_that_was_sent_without_a_checksum_has_none_in_the_answer(self) -> None:
        _, answer, _ = performed(request("GET", x_amz_checksum_mode="ENABLED"))
        assert answer.status == 200
        assert not [name for name, _ in answer.headers if name.startswith("x-amz-checksum-")]

    @pytest.mark.parametrize(
        ("asked", "code"),
        [
            (request(path="/b/" + "é" * 512), ""),
            (request(path="/b/" + "é" * 512 + "k"), "KeyTooLongError"),
            (request("GET", path="/b/" + "k" * 1025), "KeyTooLongError"),
            (request(path="/new-bucket"), ""),
            (request(path="/New"), "InvalidBucketName"),
            (request(path="/a..b"), "InvalidBucketName"),
            (request(path="/ab"), "InvalidBucketName"),
            (request(path="/192.168.5.4"), "InvalidBucketName"),
            (request(path="/xn--a"), "InvalidBucketName"),
            (request(path="/some-s3alias"), "InvalidBucketName"),
            (request("GET", path="/Of_2017/k"), "NoSuchBucket"),
            (request("GET", path="/a b/k"), "InvalidBucketName"),
        ],
    )
    def test_names_are_those_that_s3_has(self, asked: Request, code: str) -> None:
        _, answer, _ = performed(asked)
        assert f"<Code>{code}</Code>".encode() in answer.body if code else answer.status == 200

    @pytest.mark.parametrize(("region", "status"), [("", 200), ("eu-west-1", 409)])
    def test_a_bucket_may_be_created_again_in_us_east_1_alone(self, region: str, status: int) -> None:
        body = f"<C><LocationConstraint>{region}</LocationConstraint></C>".encode() if region else b""
        state, answer, _ = performed(request(path="/b", body=body))
        assert (answer.status, state) == (status, STATE)

    @pytest.mark.parametrize(
        ("asked", "unknown"),
        [
            (request(x_amz_tagging="a=b"), "x-amz-tagging of a PUT"),
            (request(x_amz_never_heard_of="1"), "x-amz-never-heard-of of a PUT"),
            (request(x_amz_acl="public-read"), "x-amz-acl of a PUT"),
            (request(x_amz_grant_read="id=1"), "x-amz-grant-read of a PUT"),
            (request(x_amz_object_lock_mode="GOVERNANCE"), "x-amz-object-lock-mode of a PUT"),
            (request(x_amz_server_side_encryption="aws:kms"), "x-amz-server-side-encryption of a PUT"),
            (request(x_amz_write_offset_bytes="1"), "x-amz-write-offset-bytes of a PUT"),
            (request("DELETE", x_amz_if_match_size="1"), "x-amz-if-match-size of a DELETE"),
            (
                request(x_amz_copy_source="b/k", x_amz_copy_source_if_modified_since="x"),
                "x-amz-copy-source-if-modified-since of a PUT",
            ),
            (request(x_amz_copy_source="b/k?versionId=1"), "a version in x-amz-copy-source"),
            (request(x_amz_storage_class="GLACIER"), "x-amz-storage-class of a PUT"),
            (request(if_unmodified_since="x"), "if-unmodified-since of a PUT"),
            (request("DELETE", if_none_match="*"), "if-none-match of a DELETE"),
            (request("GET", if_range="x"), "if-range of a GET"),
            (request("GET", range="bytes=0-1,3-4"), "range: bytes=0-1,3-4"),
            (request(if_match="*"), "if-match: * of a write"),
            (request("PATCH"), "PATCH of an object"),
            (attrs.evolve(request("GET"), query=(("versionId", "1"),)), "versionId of a GET"),
            (attrs.evolve(request("GET"), query=(("partNumber", "1"),)), "partNumber of a GET"),
            (attrs.evolve(request("GET"), query=(("uploadId", "1"),)), "uploadId of a GET"),
            (attrs.evolve(request("GET", path="/b"), query=(("acl", ""),)), "acl of a GET"),
            (request("POST", path="/"), "POST of a service"),
        ],
    )
    def test_what_the_front_does_not_have_is_named_and_changes_nothing(self, asked: Request, unknown: str) -> None:
        state, answer, touched = performed(asked)
        assert (answer.status, answer.unknown, state) == (501, unknown, STATE)
        assert all(each.touch is Touch.READ for each in touched)

    @pytest.mark.parametrize(
        "headers",
        [
            {"x_amz_storage_class": "STANDARD", "x_amz_server_side_encryption": "AES256", "x_amz_acl": "private"},
            {"x_amz_meta_anything": "1", "x_amz_expected_bucket_owner": "1", "x_amz_security_token": "1"},
            {"if_none_match": '"tag"'},
            {"x_amz_api_version": "2006-03-01", "x_amz_user_agent": "aws-sdk-java/2", "amz_sdk_request": "attempt=1"},
            {"x_amz_checksum_crc64nvme": "AAAAAAAAAAA=", "x_amz_sdk_checksum_algorithm": "CRC64NVME"},
            {"x_amz_sdk_invocation_id": "1", "x_amz_source_expected_bucket_owner": "1", "content_type": "text/plain"},
            {"x_amz_tagging_directive": "COPY", "x_amz_request_payer": "requester", "x_amz_trailer": "x"},
        ],
    )
    def test_what_changes_nothing_or_is_refused_by_s3_as_well_is_no_unknown(self, headers: dict[str, str]) -> None:
        assert performed(request("PUT", "/b/new", b"", **headers))[1].unknown == ""

    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_an_object_that_is_not_modified_has_its_etag_in_the_answer(self, method: str) -> None:
        _, answer, _ = performed(request(method, if_none_match="*"))
        assert (answer.status, dict(answer.headers)["ETag"], answer.body) == (304, f'"{etag(b"1")}"', b"")

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "GET"])
    def test_a_write_under_a_condition_may_meet_another_write(self, method: str) -> None:
        found = S3Front().understood(request(method, if_match="x"))
        assert not isinstance(found, Response)
        meets = S3Front().conflict(found)
        assert (meets is None) is (method == "GET")
        if meets is not None:
            state, answer, touched = S3Front().perform(STATE, meets, 0)
            assert (answer.status, state, touched) == (409, STATE, ())

    @pytest.mark.parametrize(("before", "statuses"), [((), [409, 404]), ((False,), [200, 200]), ((True,), [404, 404])])
    def test_an_upload_whose_completion_meets_another_write_is_gone_unless_it_is_complete(
        self, before: tuple[bool, ...], statuses: list[int]
    ) -> None:
        name = {"uploadId": upload_id("b/new", "me", 0)}
        parts = b"<C><Part><PartNumber>1</PartNumber><ETag>%b</ETag></Part></C>" % etag(b"x").encode()
        if_absent = {"if-none-match": "*"}
        completion = S3Request("POST", "b", "new", name, if_absent, parts, "me")
        state = STATE
        for asked in (
            S3Request("POST", "b", "new", {"uploads": ""}, {}, b"", "me"),
            S3Request("PUT", "b", "new", {**name, "partNumber": "1"}, {}, b"x", "me"),
            *(attrs.evolve(completion, conflict=each) for each in before),
        ):
            state = perform(state, asked, 0)[0]
        found = []
        for conflict in (True, False):
            state, answer, _ = perform(state, attrs.evolve(completion, conflict=conflict), 0)
            found.append(answer.status)
        assert found == statuses
        assert ("b/new" in state.objects) is (statuses[0] == 200)

    def test_a_label_has_the_beginning_of_a_range_and_the_keys_of_a_bulk_delete(self) -> None:
        front = S3Front()

        def label(asked: Request) -> str:
            found = front.understood(asked)
            assert not isinstance(found, Response)
            return front.label_of(found)

        assert label(request("GET", range="bytes=0-423")) == "GET b/k range: bytes=0-"
        assert label(request("GET", range="bytes=-8")) == "GET b/k range: bytes=-8"
        keys = b"<Delete><Object><Key>b</Key></Object><Object><Key>a</Key></Object></Delete>"
        bulk = Request(method="POST", path="/b", query=(("delete", ""),), headers={}, body=keys)
        assert label(bulk) == "POST b delete (2 keys: a, b)"
