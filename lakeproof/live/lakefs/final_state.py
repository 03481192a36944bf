"""Reads the state of a service when a round is over and no client is at work."""

from collections.abc import Sequence
from functools import partial
from typing import Final

import attrs
import trio

from lakeproof.live.lakefs.calls import MAKERS, MERGES, Call
from lakeproof.live.lakefs.contents import Content, FinalState, RepositoryState
from lakeproof.live.lakefs.promises import TRUNK
from lakeproof.live.lakefs.threads import TRIES, Driver, Unread
from lakeproof.live.lakefs.workload import Names
from lakeproof.live.report import Round
from lakeproof.model.snapshot import Status
from lakeproof.words import first_of

COME_AND_GO: Final = frozenset({"create_branch", "create_tag"})


@attrs.define(kw_only=True)
class LakeFSRound(Round):
    """One round: the calls, and the state after the last one."""

    names: Names
    entries: list[Call] = attrs.field(factory=list)
    repositories: list[Call] = attrs.field(factory=list)
    final: FinalState = attrs.field(factory=FinalState)
    last: dict[str, RepositoryState] = attrs.field(factory=dict)
    unanswered: list[str] = attrs.field(factory=list)
    """Reads in the end without an answer."""


@attrs.define
class FinalStateReader:
    """Reads what a service holds in the end."""

    driver: Driver
    made: LakeFSRound
    contents: dict[str, str] = attrs.field(factory=dict)
    """What lies at a physical address: nothing is ever written there again."""
    seen: set[str] = attrs.field(factory=set)
    """The addresses of which it was read, not only written."""

    async def all(self) -> None:
        """Raises Unread."""
        # A copy: the reads below are recorded as calls, too.
        calls = list(self.driver.recorder.calls)
        try:
            async with trio.open_nursery() as nursery:
                for name in sorted(self.made.names.used - {self.made.names.lake}):
                    nursery.start_soon(self._repository, name)
                await self._lake(calls)
        except BaseExceptionGroup as group:
            # Several reads may fail at once. Anything else beside them, a mistake or a Ctrl-C, must not be lost in an
            # Unread.
            unread, others = group.split(Unread)
            if others is not None or unread is None:
                raise
            raise first_of(unread, (Unread,)) from None

    async def _look(self, name: str, args: tuple[str, ...]) -> Call:
        """A read that is recorded as a call; again, if it is not answered."""
        call, tries = await self.driver.call(0, name, args), 1
        while call.status is Status.INFO and tries < TRIES:
            call, tries = await self.driver.call(0, name, args), tries + 1
        if call.status is Status.INFO:
            self.made.unanswered.append(call.shown)
        return call

    async def _repository(self, name: str) -> None:
        service = self.driver.service
        # The name is read on both sides of its content. If it has one life before and after, the content is of that
        # life.
        before = await self._look("get_repository", (name,))
        if not before.ok:
            return
        branches = await self.driver.read(partial(service.branches, name))
        listed = await self.driver.read(partial(service.listing, name, TRUNK))
        after = await self._look("get_repository", (name,))
        if branches is not None and listed is not None and after.ok and after.value == before.value:
            self.made.last[name] = RepositoryState(str(before.value), frozenset(branches), frozenset(listed))

    async def _lake(self, calls: list[Call]) -> None:
        lake, service = self.made.names.lake, self.driver.service
        mine = [call for call in calls if call.ok and call.args[0] == lake]
        for call in mine:
            if call.name in {"set_entry", "create_entry"}:
                # Each upload has a new physical address, so its content need not be read again.
                self.contents[str(call.value)] = call.args[3]
        mortal = [call for call in calls if call.name in COME_AND_GO and call.args[0] == lake]
        # One more read of everything that came and went, now that nothing is under way: many violations show only here.
        again: set[tuple[str, ...]] = {(call.name.replace("create", "get"), call.args[1]) for call in mortal}
        again |= {("get_pull", *call.args[1:3], str(call.value)) for call in mine if call.name == "create_pull"}
        again |= {("stat_entry", *call.args[1:3]) for call in mine if call.name == "update_metadata"}
        async with trio.open_nursery() as nursery:
            for name, *which in sorted(again):
                nursery.start_soon(self._look, name, (lake, *which))
            self.made.final.listed = frozenset(await self.driver.read(partial(service.branches, lake)) or ())
            for branch in self.made.final.listed:
                nursery.start_soon(self._branch, branch)
        # After the branches: which commits are reverts shows in their logs.
        async with trio.open_nursery() as nursery:
            for commit_id in sorted(self._made(mine)):
                nursery.start_soon(self._commit, commit_id)
            for call in mine:
                if call.name in MERGES:
                    nursery.start_soon(self._ancestors, str(call.value))

    def _made(self, mine: Sequence[Call]) -> set[str]:
        """The commits that clients have made, and the first one: a revert is known by its message."""
        final = self.made.final
        named = {call.args[3] for call in mine if call.name == "revert"}
        reverts = {commit_id for commit_id, message in final.messages.items() if message in named}
        first = {line[-1] for line in final.logs.values() if line}  # which came with the repository
        return first | reverts | {str(call.value) for call in mine if call.name in MAKERS - {"revert"}}

    async def _branch(self, branch: str) -> None:
        lake, final = self.made.names.lake, self.made.final
        content = await self._content(branch, trusted=False)
        line = await self.driver.read(partial(self.driver.service.log, lake, branch, first_parent=True))
        if content is not None and line is not None:
            final.branches[branch], final.logs[branch] = content, [commit_id for commit_id, _ in line]
            # A dictionary takes an iterable of pairs, here id and message.
            final.messages |= line

    async def _commit(self, commit_id: str) -> None:
        # No client can remove a commit: one that is not there has lost its content.
        self.made.final.commits[commit_id] = await self._content(commit_id, trusted=True) or {}

    async def _ancestors(self, commit_id: str) -> None:
        lake = self.made.names.lake
        found = await self.driver.read(partial(self.driver.service.log, lake, commit_id, first_parent=False))
        if found is not None:
            self.made.final.ancestors[commit_id] = frozenset(commit_id for commit_id, _ in found)

    async def _content(self, ref: str, *, trusted: bool) -> Content | None:
        """The values of a branch or commit; None: it is not there. trusted: an address has what was written there; else
        it is read, and listed again: a call without an answer may take effect between listing and read."""
        lake = self.made.names.lake
        relist = partial(self.driver.read, partial(self.driver.service.listing, lake, ref))
        listed = await relist()
        for _ in range(TRIES):
            if listed is None:
                return None
            found: dict[str, str] = {}
            async with trio.open_nursery() as nursery:
                for path, at in listed.items():
                    if at not in (self.contents if trusted else self.seen):
                        nursery.start_soon(self._read, ref, path, at, found)
            # Nothing was read, so nothing can have changed between listing and reading; and a commit never changes.
            before, listed = listed, await relist() if found and not trusted else listed
            if listed == before:
                self.seen.update(found)
                self.contents |= found
                return {path: self.contents[at] for path, at in before.items()}
        raise Unread(f"{ref} of {lake} has changed {TRIES} times while it was read, and no client was at work")

    async def _read(self, ref: str, path: str, at: str, found: dict[str, str]) -> None:
        lake, service = self.made.names.lake, self.driver.service
        value = await self.driver.read(partial(service.perform, "get_entry", (lake, ref, path)))
        # Listed and not readable: no client wrote an empty value, so the monitors report it.
        found[at] = value if isinstance(value, str) else ""
