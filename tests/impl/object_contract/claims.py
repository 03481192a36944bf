"""What `tests.impl.object_contract.suite` claims of an object store, one operation after the other: one
function each, on an empty store."""

from typing import Final, cast

import attrs

from lakeproof.impl.stores.conformance import NotConforming
from lakeproof.impl.stores.object_store import ObjectStore
from lakeproof.model import objects
from tests.impl.object_contract.answers import equal, expect, listed, refused, timeless

FAR: Final = 10**18
"""A time that no clock has reached, in microseconds since 1970."""

ADDRESSES: Final = (
    "a", "a/", "a/b", "a/b/", "a//b", "ab", "A", "/", "//", "..", ".", "../a", "a/../a", "/etc/passwd", "a\\b", "~",
    "*", "a b", "a\nb", "\0", "a\0", "%", "%00", "a.o", "a.d", "%61", "con", "é", "e\u0301", "\uffff", "\U0001f600",
    "\ud800", "x" * 255, "x" * 256, "x" * 255 + "/y", "é" * 300, "/" * 300, "x" * 1024, ("y" * 200 + "/") * 5,
)  # fmt: skip
"""Of at most 1024 bytes in UTF-8, as stores allow."""


async def an_absent_object_is_not_found(store: ObjectStore) -> None:
    for _ in range(2):
        for op in (objects.GetObject("a"), objects.HeadObject("a"), objects.Copy("a", "b"), objects.Copy("a", "a")):
            await refused(store, op, objects.ObjectNotFound())
        if store.capabilities.conditional_metadata != "none":
            await refused(store, objects.SetMetadata("a", ()), objects.ObjectNotFound())
        await store.put("a/b", b"")  # whose address begins with this one
        await store.put("a", b"")
        await store.delete("a")


async def an_object_is_read_as_written(store: ObjectStore) -> None:
    for content in (b"v", b"", b"\0", b"\n{}", bytes(range(256)), b"x" * 1_000_000, b"y"):
        for metadata in ((), (("k", ""),), (("", "\0\n"), ("a=b", 'é"'), ("z", "z" * 1000))):
            await store.put("a", content, metadata)
            equal("get after put", await store.get("a"), content)
            expected = objects.Head("a", len(content), objects.etag(content), 0, metadata, 1)
            equal("head after put", timeless(await store.head("a")), expected)


async def addresses_are_any_strings(store: ObjectStore) -> None:
    for address in ADDRESSES:
        await store.put(address, address.encode("utf-8", "surrogatepass"), (("address", address),))
    for address in ADDRESSES:
        equal(f"get({address!r})", await store.get(address), address.encode("utf-8", "surrogatepass"))
        equal(f"head({address!r})", (await store.head(address)).metadata, (("address", address),))
    equal("addresses", await listed(store, page_size=7), sorted(ADDRESSES))
    for address in ADDRESSES[::2]:
        await store.delete(address)
    equal("addresses after deletes", await listed(store), sorted(ADDRESSES[1::2]))


async def an_overwritten_object_has_nothing_of_the_old_one(store: ObjectStore) -> None:
    await store.put("a", b"long old content", (("old", "1"),))
    if store.capabilities.conditional_metadata != "none":
        await store.set_metadata("a", (("old", "2"),))
    await store.put("a", b"new")
    await expect(store, objects.GetObject("a"), b"new")
    await expect(store, objects.HeadObject("a"), objects.Head("a", 3, objects.etag(b"new"), 0, (), 1))


async def a_put_may_be_conditional_or_is_refused(store: ObjectStore) -> None:
    creates = objects.Put("a", b"1", (("n", "1"),), if_absent=True)
    replaces = objects.Put("a", b"2", if_match=objects.etag(b"1"))
    if not store.capabilities.conditional_put:
        for op in (creates, replaces):
            await refused(store, op, objects.Unsupported())
        return
    await refused(store, replaces, objects.PreconditionFailed())
    await expect(store, creates, None)
    await refused(store, objects.Put("a", b"3", if_absent=True), objects.PreconditionFailed())
    await store.copy("a", "a", (("n", "2"),))  # an ETag does not know of metadata
    await expect(store, replaces, None)
    await refused(store, replaces, objects.PreconditionFailed())
    await store.delete("a")
    await refused(store, objects.Put("a", b"3", if_match=objects.etag(b"2")), objects.PreconditionFailed())
    await store.put("a", b"")
    await refused(store, creates, objects.PreconditionFailed())  # an empty object is an object


async def a_copy_takes_content_and_metadata(store: ObjectStore) -> None:
    await store.put("a", b"1", (("n", "1"),))
    await store.put("b", b"old", (("old", ""),))
    await store.copy("a", "b")
    one = objects.Head("a", 1, objects.etag(b"1"), 0, (("n", "1"),), 1)
    await expect(store, objects.HeadObject("b"), attrs.evolve(one, address="b"))
    await store.copy("b", "a/c", ())
    await expect(store, objects.HeadObject("a/c"), attrs.evolve(one, address="a/c", metadata=()))
    await expect(store, objects.HeadObject("a"), one)
    await store.copy("a", "a", (("n", "2"),))
    await expect(store, objects.HeadObject("a"), attrs.evolve(one, metadata=(("n", "2"),)))
    await store.delete("a")
    for address in ("b", "a/c"):
        await expect(store, objects.GetObject(address), b"1")


async def a_copy_may_be_conditional_on_its_source(store: ObjectStore) -> None:
    await store.put("a", b"1", (("n", "1"),))
    await store.put("b", b"2")
    for destination in ("a", "b", "c"):
        op = objects.Copy("a", destination, (("n", "2"),), objects.etag(b"2"))
        await refused(store, op, objects.PreconditionFailed())
        await expect(store, attrs.evolve(op, if_match=objects.etag(b"1")), None)
        await expect(store, objects.GetObject(destination), b"1")


async def metadata_may_be_written_alone_or_that_is_refused(store: ObjectStore) -> None:
    await store.put("a", b"1", (("n", "1"),))
    plain = objects.SetMetadata("a", (("n", "2"),))
    if store.capabilities.conditional_metadata == "none":
        for op in (plain, attrs.evolve(plain, if_metageneration=1), attrs.evolve(plain, if_version="")):
            await refused(store, op, objects.Unsupported())
        return
    before = await store.head("a")
    for metageneration in (2, 3):
        await expect(store, plain, None)
        equal(
            "head", await store.head("a"), attrs.evolve(before, metadata=(("n", "2"),), metageneration=metageneration)
        )
        await expect(store, objects.GetObject("a"), b"1")


async def a_write_of_metadata_may_be_conditional_or_is_refused(store: ObjectStore) -> None:
    await store.put("a", b"1")
    for by, can in (("if_metageneration", _by_metageneration(store)), ("if_version", _by_version(store))):
        op = objects.SetMetadata("a", (("by", by),))
        before = await store.head("a")
        if not can:
            await refused(store, _on_condition(op, before, by), objects.Unsupported())
            continue
        await expect(store, _on_condition(op, before, by), None)
        await refused(store, _on_condition(op, before, by), objects.PreconditionFailed())
        await store.put("a", b"2" + by.encode())
        if by == "if_version":
            await refused(store, _on_condition(op, before, by), objects.PreconditionFailed())
        await expect(store, _on_condition(op, await store.head("a"), by), None)


def _by_metageneration(store: ObjectStore) -> bool:
    return store.capabilities.conditional_metadata in ("metageneration", "both")


def _by_version(store: ObjectStore) -> bool:
    return store.capabilities.conditional_metadata in ("version", "both")


def _on_condition(op: objects.SetMetadata, read: objects.Head, by: str) -> objects.SetMetadata:
    if by == "if_version":
        return attrs.evolve(op, if_version=read.version)
    return attrs.evolve(op, if_metageneration=read.metageneration)


async def what_was_deleted_stays_deleted(store: ObjectStore) -> None:
    await store.delete("a")
    await store.put("b", b"other")
    await store.put("a", b"1")
    await store.copy("a", "a", (("n", "1"),))
    for _ in range(2):  # an absent one is no error
        await store.delete("a")
        await expect(store, objects.GetObject("a"), objects.ObjectNotFound())
        await expect(store, objects.Copy("a", "a", (("n", "2"),)), objects.ObjectNotFound())
        equal("addresses", await listed(store), ["b"])
    if store.capabilities.conditional_metadata != "none":
        await expect(store, objects.SetMetadata("a", ()), objects.ObjectNotFound())
        await expect(store, objects.HeadObject("a"), objects.ObjectNotFound())
    await store.put("a", b"1")
    await expect(store, objects.HeadObject("a"), objects.Head("a", 1, objects.etag(b"1"), 0, (), 1))


async def a_request_that_comes_too_late_is_refused(store: ObjectStore) -> None:
    await store.put("a", b"1")
    for late in (objects.Put("b", b"", not_after=-1), objects.Put("a", b"2", not_after=-1)):
        await refused(store, late, objects.Expired())
    await refused(store, objects.Copy("a", "b", not_after=-1), objects.Expired())
    await expect(store, objects.Put("a", b"2", not_after=FAR), None)
    await expect(store, objects.Copy("a", "b", not_after=FAR), None)
    await expect(store, objects.GetObject("b"), b"2")


async def a_listing_tells_what_head_tells_but_metadata(store: ObjectStore) -> None:
    for number in range(3):
        await store.put(f"a{number}", b"x" * number, (("n", "1"),))
    await store.copy("a0", "a3")
    for told in [head async for head in store.list()]:
        expected = attrs.evolve(await store.head(told.address), metadata=(), metageneration=0)
        equal("head in a listing", told, expected)


async def last_modified_does_not_go_back(store: ObjectStore) -> None:
    last = 0
    for _ in range(3):
        await store.put("a", b"")
        await store.copy("a", "b")
        for address in ("a", "b"):
            found = (await store.head(address)).last_modified
            if found < last:
                raise NotConforming(f"last_modified of {address!r}: expected at least {last}, found {found}")
            last = found


async def a_listing_is_in_order_within_its_prefix(store: ObjectStore) -> None:
    for address in sorted(ADDRESSES, key=lambda address: address[::-1]):
        await store.put(address, b"")
    for prefix in ("", "a", "a/", "a/b", "x" * 200, "x" * 256, "/", "..", "e", "é", "none", "\ud800", "/" * 299):
        expected = sorted(address for address in ADDRESSES if address.startswith(prefix))
        for size in (0, 1, 5):
            equal(f"addresses with prefix {prefix!r} by {size}", await listed(store, prefix, size), expected)


async def a_listing_is_paged(store: ObjectStore) -> None:
    found = sorted(["a", "a/b", "a/c", "a/c/d", "ab", "b"])
    for address in found:
        await store.put(address, b"")
    for size in range(1, len(found) + 2):
        for after in ("", *found, "a/", "a/bb", "c"):
            page = cast("objects.Page", await store.perform(objects.ListObjects("", after, size)))
            rest = [address for address in found if address > after]
            equal(f"page of {size} after {after!r}", [head.address for head in page.heads], rest[:size])
            if not page.more:
                equal(f"addresses that a page of {size} after {after!r} left out", rest[size:], [])


async def a_listing_is_not_a_snapshot(store: ObjectStore) -> None:
    for address in ("a", "b", "c", "d"):
        await store.put(address, b"")
    seen = []
    async for head in store.list(page_size=2):
        seen.append((head.address, head.size_bytes))
        if head.address == "b":  # between two pages: the first has been read, the second has not
            await store.put("aa", b"new")
            await store.delete("c")
            await store.put("d", b"new")
            await store.put("e", b"new")
            await store.delete("b")  # where the next page continues
    equal("listing with writes between its pages", seen, [("a", 0), ("b", 0), ("d", 3), ("e", 3)])


CLAIMS: Final = (
    an_absent_object_is_not_found,
    an_object_is_read_as_written,
    addresses_are_any_strings,
    an_overwritten_object_has_nothing_of_the_old_one,
    a_put_may_be_conditional_or_is_refused,
    a_copy_takes_content_and_metadata,
    a_copy_may_be_conditional_on_its_source,
    metadata_may_be_written_alone_or_that_is_refused,
    a_write_of_metadata_may_be_conditional_or_is_refused,
    what_was_deleted_stays_deleted,
    a_request_that_comes_too_late_is_refused,
    a_listing_tells_what_head_tells_but_metadata,
    last_modified_does_not_go_back,
    a_listing_is_in_order_within_its_prefix,
    a_listing_is_paged,
    a_listing_is_not_a_snapshot,
)
