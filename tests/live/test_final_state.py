"""The state in the end, read while a call without an answer takes effect: what was never so is not taken for so."""

from collections.abc import Collection

import attrs
import pytest
import trio

from lakeproof.live.engine import Load
from lakeproof.live.lakefs.contents import Content, FinalState
from lakeproof.live.lakefs.final_state import FinalStateReader, LakeFSRound
from lakeproof.live.lakefs.threads import TRIES, Driver, Unread
from lakeproof.live.lakefs.workload import Names
from lakeproof.live.recorder import Recorder, Tally
from lakeproof.model.snapshot import Status

NAMES = Names("p", "ns")


class Missing(Exception):
    """As the client raises it."""

    status = 404


FIRST = {"main": "one", "side0": "side", "c1": "in c1"}
"""Addresses of their own: what was read through one need not be read through another."""


@attrs.define
class Changing:
    """Two branches and a commit, each with an object at one path. Each listing of main but the last ones is followed by
    a change. held: by branch and commit, path to address. objects: by address, what is read."""

    changes: list[Content | None]
    objects: dict[str, str]
    held: dict[str, Content] = attrs.field(factory=lambda: {ref: {"a": address} for ref, address in FIRST.items()})

    def branches(self, repository: str) -> list[str]:
        return ["main", "side0"]

    def listing(self, repository: str, ref: str) -> Content:
        found = self._find(ref)
        if ref == "main" and self.changes:
            change = self.changes.pop(0)
            self.held = {name: each for name, each in self.held.items() if name != ref}
            self.held |= {} if change is None else {ref: change}
        return found

    def log(self, repository: str, ref: str, *, first_parent: bool) -> list[tuple[str, str]]:
        self._find(ref)
        return [("c1", "m")]

    def perform(self, name: str, args: tuple[str, ...]) -> str:
        found = self._find(args[1])
        if args[2] not in found:
            raise Missing
        return self.objects[found[args[2]]]

    def _find(self, ref: str) -> Content:
        if ref not in self.held:
            raise Missing
        return self.held[ref]


def read(changes: list[Content | None], one: str = "1", held: Collection[str] = tuple(FIRST)) -> FinalState:
    recorder, made = Recorder(), LakeFSRound(number=1, names=NAMES)
    for name, args, value in (("set_entry", ("main", "a", "1"), "one"), ("commit", ("main", "m"), "c1")):
        recorder.end(recorder.begin(0, name, (NAMES.lake, *args)), Status.OK, value)
    service = Changing(changes, {"one": one, "two": "2", "side": "1", "in c1": "1"})
    service.held = {ref: each for ref, each in service.held.items() if ref in held}
    driver = Driver(service, Load(timeout=5), Tally(), recorder, trio.CapacityLimiter(4))  # type: ignore[arg-type]
    trio.run(FinalStateReader(driver, made).all)
    return made.final


@pytest.mark.parametrize(
    ("changes", "main"),
    [
        ([], {"a": "1"}),
        ([{"a": "two"}], {"a": "2"}),
        ([{}], {}),
        ([{"a": "two"}, {"a": "two", "b": "one"}], {"a": "2", "b": "1"}),
        ([None], None),
    ],
)
def test_a_change_between_listing_and_read_damages_no_commit(
    changes: list[Content | None], main: Content | None
) -> None:
    found = read(changes)
    assert found.commits["c1"] == {"a": "1"}
    assert found.branches == {"side0": {"a": "1"}} | ({} if main is None else {"main": main})
    assert found.listed == {"main", "side0"}


def test_a_commit_that_is_not_there_has_lost_what_it_held() -> None:
    assert read([], held=("main", "side0")).commits["c1"] == {}


def test_an_object_that_was_damaged_is_seen() -> None:
    assert read([], one="0").branches["main"] == {"a": "0"}


def test_a_branch_that_never_stays_as_it_is_cannot_be_read() -> None:
    with pytest.raises(Unread, match="main of p-lake has changed 5 times while it was read"):
        read([{"a": "two", str(number): "one"} for number in range(2 * TRIES)])
