"""Requests of S3 at random, over few names, so that they meet; and states that such requests have made."""

from typing import Final
from urllib.parse import quote

from hypothesis import strategies as st

from lakeproof.gate.fronts.s3.operations import perform
from lakeproof.gate.fronts.s3.state import BucketState, upload_id
from lakeproof.gate.fronts.s3.wire import S3Request
from lakeproof.model.objects import etag

BUCKETS: Final = ("aaa", "bbb")
KEYS: Final = ("k", "k/1", "k/2", "l")
CLIENTS: Final = ("me", "you")
CONTENTS: Final = (b"", b"1", b"22")
NOW: Final = 1_700_000_000_000_000

buckets = st.sampled_from(BUCKETS)
keys = st.sampled_from(KEYS)
contents = st.sampled_from(CONTENTS)
etags = contents.map(lambda each: f'"{etag(each)}"')
sources = st.builds(lambda bucket, key: quote(f"/{bucket}/{key}"), buckets, keys)


def optional(**named: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries({}, optional={name.replace("_", "-"): each for name, each in named.items()})


no_body: Final = st.just(b"")
nothing: Final = st.just(dict[str, str]())
conditions = optional(if_none_match=st.just("*"), if_match=etags) | nothing
copies = optional(x_amz_copy_source=sources, x_amz_copy_source_if_match=etags, if_none_match=st.just("*"))
uploads = st.builds(upload_id, st.builds("{}/{}".format, buckets, keys), st.sampled_from(CLIENTS), st.integers(0, 1))
listings = optional(
    list_type=st.just("2"),
    prefix=st.sampled_from(["", "k", "k/", "x"]),
    delimiter=st.just("/"),
    max_keys=st.sampled_from(["0", "1", "5"]),
    start_after=keys,
)


def _parts(numbers: list[tuple[int, bytes]]) -> bytes:
    told = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>{etag(content)}</ETag></Part>" for number, content in numbers
    )
    return f"<CompleteMultipartUpload>{told}</CompleteMultipartUpload>".encode()


def _objects(found: list[tuple[str, str | None]]) -> bytes:
    told = "".join(
        f"<Object><Key>{key}</Key>{'' if tag is None else f'<ETag>{tag}</ETag>'}</Object>" for key, tag in found
    )
    return f"<Delete>{told}</Delete>".encode()


parts = st.lists(st.tuples(st.sampled_from([1]), contents), min_size=1, max_size=1).map(_parts)
removals = st.lists(st.tuples(keys, st.none() | etags), min_size=1, max_size=2).map(_objects)


def asked(
    method: str,
    *,
    bucket: st.SearchStrategy[str] = buckets,
    key: st.SearchStrategy[str] = keys,
    query: st.SearchStrategy[dict[str, str]] = nothing,
    headers: st.SearchStrategy[dict[str, str]] = nothing,
    body: st.SearchStrategy[bytes] = no_body,
) -> st.SearchStrategy[S3Request]:
    return st.builds(
        S3Request,
        method=st.just(method),
        bucket=bucket,
        key=key,
        query=query,
        headers=headers,
        body=body,
        client=st.sampled_from(CLIENTS),
    )


def _of_upload(**more: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries({"uploadId": uploads, **more})


empty: Final = st.just("")
of_objects = st.one_of(
    asked("GET", headers=conditions),
    asked("HEAD", headers=conditions),
    asked("PUT", headers=conditions, body=contents),
    asked("PUT", headers=copies, body=contents),
    asked("DELETE", headers=conditions),
)
of_buckets = st.one_of(
    asked("GET", bucket=empty, key=empty),
    asked("GET", key=empty, query=listings),
    asked("GET", key=empty, query=st.just({"location": ""})),
    asked("HEAD", key=empty),
    asked("PUT", key=empty),
    asked("DELETE", key=empty),
    asked("POST", key=empty, query=st.just({"delete": ""}), body=removals),
)
of_uploads = st.one_of(
    asked("POST", query=st.just({"uploads": ""})),
    asked("PUT", query=_of_upload(partNumber=st.just("1")), body=contents),
    asked("PUT", query=_of_upload(partNumber=st.just("1")), headers=copies, body=contents),
    asked("POST", query=_of_upload(), headers=conditions, body=parts),
    asked("DELETE", query=_of_upload()),
)
requests = of_objects | of_buckets | of_uploads
"""Every operation that the front has."""


def _after(made: list[S3Request], begun: frozenset[str]) -> BucketState:
    state = BucketState(buckets=begun)
    for each in made:
        state, _, _ = perform(state, each, NOW)
    return state


states = st.builds(_after, st.lists(requests, max_size=8), st.frozensets(buckets))
"""What up to eight requests leave behind."""
