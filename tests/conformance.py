"""All claims about a store, in tests."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress

from lakeproof.impl.stores import Store
from lakeproof.impl.stores.conformance import LeftOut, claims, name_claim

MakeStore = Callable[[], AbstractAsyncContextManager[Store]]
"""Opens a store that holds nothing, and closes it on leaving."""


def opens(make: Callable[[], Store]) -> MakeStore:
    @asynccontextmanager
    async def opened() -> AsyncIterator[Store]:
        yield make()

    return opened


async def check_store(make_store: MakeStore) -> None:
    """Raises NotConforming, which names the claim."""
    for claim in claims():
        async with make_store() as store:
            with suppress(LeftOut), name_claim(claim):
                await claim(store)
