"""The suite that holds every object store driver to the contract: one claim after the other, each on an empty store.

``await check_object_store(make_store)`` returns silently or raises `NotConforming`, which names the claim and what was
seen. What a store's capabilities lack is to be refused; what they have is to work. It shows conformance only as far as
it looks: its concurrent claims find lost updates with the schedules that happen, not with all that could.
"""

import random
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any, Final

from lakeproof.impl.stores.conformance import NotConforming
from lakeproof.impl.stores.object_store import ObjectStore
from lakeproof.model import kv, objects
from tests.impl.object_contract.answers import agree, reply_of
from tests.impl.object_contract.claims import CLAIMS
from tests.impl.object_contract.races import RACES

MakeObjectStore = Callable[[], AbstractAsyncContextManager[ObjectStore]]
"""Opens a store that holds nothing, and closes it on leaving."""

Claim = Callable[[ObjectStore], Coroutine[Any, Any, None]]  # type: ignore[explicit-any]  # what trio calls an async function

OPERATIONS: Final = 400
ADDRESSES: Final = ("a", "a/", "a/b", "a/b/c", "a//", "ab", "b", "B")
CONTENTS: Final = (b"", b"x", b"y")
METADATA: Final[tuple[objects.Metadata, ...]] = ((), (("n", "1"),), (("n", "2"), ("o", "")))


async def check_object_store(make_store: MakeObjectStore, *, seed: int = 0) -> None:
    """Check every claim. ``seed`` decides the random operations of the last one.

    Raises:
        NotConforming: names the claim, and what was done, expected and found.
    """
    for claim in (*CLAIMS, *RACES):
        async with make_store() as store:
            with _named(claim):
                await claim(store)
    async with make_store() as store:
        await check_object_operations(store, random_object_operations(random.Random(seed), OPERATIONS))


async def check_object_operations(store: ObjectStore, operations: Iterable[objects.Op]) -> objects.Objects:
    """Do operations one after the other, on an empty store, and compare with `lakeproof.model.objects.step`, but for
    the time:
    that is the store's own. Returns what the specification holds in the end.

    Raises:
        NotConforming: an answer differs, with the history that led to it.
    """
    state: objects.Objects = {}
    history: list[objects.Op] = []
    for op in operations:
        history.append(op)
        if store.capabilities.lacking(op) is not None:
            expected: objects.Reply = objects.Unsupported()
        else:
            state, expected = objects.step(state, op)
        found = await reply_of(store, op)
        if not agree(op, expected, found):
            past = "".join(f"\n  {done!r}" for done in history[-12:])
            raise NotConforming(
                f"expected {expected!r}, found {found!r} from the last of {len(history)} operations:{past}"
            )
    return state


def random_object_operations(rng: random.Random, count: int) -> Iterator[objects.Op]:
    """Operations on few addresses, so that they meet each other."""
    etags = [None, *(objects.etag(content) for content in CONTENTS)]
    for _ in range(count):
        address, other, metadata = rng.choice(ADDRESSES), rng.choice(ADDRESSES), rng.choice(METADATA)
        content, etag, count_of_writes = rng.choice(CONTENTS), rng.choice(etags), rng.randrange(1, 4)
        version = f"{objects.etag(content)}.{count_of_writes}"
        choices: list[objects.Op] = [
            objects.Put(address, content, metadata),
            objects.Put(address, content, metadata, if_absent=True),
            objects.Put(address, content, metadata, if_match=etag),
            objects.GetObject(address),
            objects.HeadObject(address),
            objects.Copy(address, other, rng.choice((None, metadata)), etag),
            objects.SetMetadata(address, metadata),
            objects.SetMetadata(address, metadata, if_metageneration=count_of_writes),
            objects.SetMetadata(address, metadata, if_version=version),
            objects.DeleteObject(address),
            objects.ListObjects(rng.choice(("", "a", "a/")), rng.choice(("", other)), rng.randrange(4)),
        ]
        yield rng.choice(choices)


@contextmanager
def _named(claim: Claim) -> Iterator[None]:
    """Say which claim does not hold. What is neither a finding nor an answer passes: it is a bug, with a traceback."""
    name = getattr(claim, "__name__", repr(claim)).replace("_", " ")
    try:
        yield
    except NotConforming as error:
        raise NotConforming(f"{name}: {error}") from error
    except (objects.ObjectError, kv.KVError, ExceptionGroup) as error:
        raise NotConforming(f"{name}: unexpectedly raised {error!r}") from error
