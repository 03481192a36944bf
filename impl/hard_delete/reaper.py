"""The background job of `online`: for each issued address it asks what became of its home token.

Under the open token of a branch, an address goes when its entry has been replaced and will not be staged again. Under a
sealed token, a committer may have it already: it stays. Under a token that no branch has, it stays for good if the
commit that took the token holds it, and goes otherwise. Any number of jobs may run at once.
Source: docs/designs/hard-delete.md.
"""

from typing import Final, Literal, get_args

import attrs

from lakeproof.impl.catalog.objects import entry_of
from lakeproof.impl.effects import Env
from lakeproof.impl.hard_delete import journal
from lakeproof.impl.hard_delete.journal import Issued
from lakeproof.impl.refs.branches import get_branch
from lakeproof.impl.refs.commits import committed_entry
from lakeproof.impl.refs.errors import BranchNotFound
from lakeproof.impl.staging import get_staged
from lakeproof.model.catalog import decode_object_entry
from lakeproof.model.identifiers import CommitID, StagingToken
from lakeproof.model.records import Branch, Repository

Fate = Literal["open", "sealed", "closed"]
Addresses = dict[str, Issued]
"""By name under one token."""

Caution = Literal["head after branch", "promises before address", "staged before branch"]
CAUTIONS: Final[tuple[Caution, ...]] = get_args(Caution)
"""What the job takes care of; each can be left out, to show what it is for."""


@attrs.frozen
class Reaper:
    """One run of the job."""

    env: Env
    repository: Repository
    batch_size: int
    skew: int
    cautions: tuple[Caution, ...]

    async def run(self) -> tuple[str, ...]:
        """The relative addresses whose objects it has deleted."""
        by_token: dict[StagingToken, Addresses] = {}
        async for token, name, issued in journal.scan_issued(self.env, self.repository, None, self.batch_size):
            by_token.setdefault(token, {})[name] = issued
        gone: list[str] = []
        # What is issued after the scan is for the next run.
        for token, addresses in by_token.items():
            gone += await self._reap(token, addresses)
        return tuple(gone)

    async def _reap(self, token: StagingToken, addresses: Addresses) -> list[str]:
        careful = "staged before branch" in self.cautions
        # The entry before the branch. If the token is open then, it was open when the entry was gone: no commit scans
        # the token before, so none has the address.
        replaced = await self._replaced(token, addresses) if careful else []
        branch = await self._branch(token)
        fate = fate_of(token, branch)
        if fate == "open":
            replaced = replaced if careful else await self._replaced(token, addresses)
            return [await self._delete(token, name) for name in replaced]
        # Sealed: a committer may have scanned any of these addresses.
        return await self._reap_closed(token, addresses, branch) if fate == "closed" else []

    async def _branch(self, token: StagingToken) -> Branch | None:
        try:
            return await get_branch(self.env, self.repository, journal.branch_of(self.repository, token))
        except BranchNotFound:
            return None  # no record, or a tombstone: the branch is gone, so its tokens are closed

    async def _replaced(self, token: StagingToken, addresses: Addresses) -> list[str]:
        """The settled addresses whose entry is not the one at their path: it never will be."""
        found = []
        for name, issued in addresses.items():
            # An address that is not settled may still be staged by its writer.
            if issued.state != "settled":
                continue
            staged = await get_staged(self.env, token, issued.path)
            entry = None if staged is None else entry_of(staged[0])
            if entry is None or entry.address != journal.address_under(token, name):
                found.append(name)
        return found

    async def _reap_closed(self, token: StagingToken, addresses: Addresses, branch: Branch | None) -> list[str]:
        # A closed token stays closed, so no further commit comes true that takes it.
        winners = await self._winners(token, branch)
        # Read last: a put that the store still accepts has a later time than this, but for the skew.
        now = await self.env.clock.now()
        gone: list[str] = []
        for name, issued in addresses.items():
            address = journal.address_under(token, name)
            if await self._is_committed_in(winners, issued.path, address):
                # Committed for good: nothing of it is to be decided any more.
                await journal.forget(self.env, self.repository, token, name)
            elif issued.not_after is None or now > issued.not_after + self.skew:
                # Another run may have dealt with it, and then have dropped the promises: they would be missing here.
                known = await journal.find_issued(self.env, self.repository, token, name)
                if known is not None or "promises before address" not in self.cautions:
                    gone.append(await self._delete(token, name))
        await self._close(token)
        return gone

    async def _winners(self, token: StagingToken, branch: Branch | None) -> list[CommitID]:
        """Of the commits that would have taken a token, those that have come true."""
        # The branch was read first. A commit that is its head no more has been marked as one before it was replaced.
        head, looks = branch and branch.commit_id, "head after branch" in self.cautions
        promised = await journal.promises(self.env, self.repository, token, self.batch_size)
        return [
            commit_id
            for commit_id in promised
            if commit_id == head or (looks and await journal.was_head(self.env, self.repository, commit_id))
        ]

    async def _is_committed_in(self, commit_ids: list[CommitID], path: bytes, address: str) -> bool:
        """Whether one of these commits has this address at this path."""
        for commit_id in commit_ids:
            found = await committed_entry(self.env, self.repository, commit_id, path)
            # At its path only: an address is issued for one path, and staged at no other.
            if found is not None and decode_object_entry(found.data).address == address:
                return True
        return False

    async def _delete(self, token: StagingToken, name: str) -> str:
        address = journal.address_under(token, name)
        # The object first: a crash in between leaves the record, and the next run does the same again.
        await self.env.objects.delete(f"{self.repository.storage_namespace}/{address}")
        await journal.forget(self.env, self.repository, token, name)
        return address

    async def _close(self, token: StagingToken) -> None:
        """Drop the promises of a token under which nothing is left to decide."""
        async for _ in journal.scan_issued(self.env, self.repository, token, 1):  # one is enough to know
            return
        for commit_id in await journal.promises(self.env, self.repository, token, self.batch_size):
            await journal.drop_promise(self.env, self.repository, token, commit_id)


def fate_of(token: StagingToken, branch: Branch | None) -> Fate:
    """Where a token stands, as the record of its branch tells (None: the branch is not there). "closed" is for ever."""
    if branch is not None and branch.staging_token == token:
        return "open"
    return "sealed" if branch is not None and token in branch.tokens else "closed"
