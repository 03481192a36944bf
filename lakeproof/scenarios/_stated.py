"""Calls whose answer, effects and traces are stated, row by row: alone, after other calls, or met by them.

A table is text. An example of a row, of the repositories of Step 2:

    create: delete_if, met by delete at 2
        answers Conflict; done
        by get entry r; set_if entry r
        leaves -entry r; +record r/i1 = r/i1

First the calls that are made before, joined by dots, and the call itself. Then, after commas, what happens in its
midst:

- ``met by WORDS at 2, 4``: before its second and fourth effect on the store these run from beginning to end; ``at o2``:
  before its second effect on the object store;
- ``false at 2``: the second, a `SetIf`, is applied and reported as a failed predicate; ``refused at 2``: it is not
  applied, a definite error; ``lost at 2``, ``missed at 2``: no answer comes, and it was applied, or not;
  ``broken at 2``: a scan breaks. ``at o2``: the same of an effect on the object store, where a listing does not break.
  What cannot fail like this does not;
- ``90 s later``: its clock, and that of what follows, is ahead of the clock of what was before;
- ``then WORDS``: calls that follow it.

Its lines: what it and the others answer, by which effects it goes, each on a key by what it names (a clock as ``now``),
and what it and the others add (+), change (~) and remove (-) in the stores. Of the object store, users' objects, dumps
and marks are shown; of an effect on it also the condition. An indefinite error ends in "?". A line without such a
word continues the one above. Each row starts with an empty store, or with what all rows of a table start with.

Fresh identifiers are named by the first letter of their kind and a number; commits are ``c1``, ``c2`` as they are met;
a time is shown as the difference from the clock. To add a row, write its head: the evidence of the scenario then says
how it goes. Read that against the text of the design before it is written down: a row is no proof, it only keeps steps.
"""

import itertools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import attrs

from lakeproof.impl.effects import ClockEffects, Env, Ids, KVEffects, ObjectEffects
from lakeproof.model import kv, objects
from lakeproof.model.errors import FlowError
from lakeproof.model.invariants import Invariant
from lakeproof.model.invariants.goes import GOES_AS_STATED, GOES_AS_STATED_MEANING, Gone, goes_as_stated
from lakeproof.scenario import Aftermath, Call
from lakeproof.scenarios._shown import Names, object_changes
from lakeproof.scenarios.designs import HOLDS, Design, Row, Word, rows
from lakeproof.scenarios.races import NONE, Race, RaceError

FAULTS: Final = ("false", "refused", "lost", "missed", "broken")
WRITES: Final = (kv.Set, kv.SetIf, kv.Delete)
OBJECT_WRITES: Final = (objects.Put, objects.Copy, objects.SetMetadata, objects.DeleteObject)
_SHOWN_OPS: Final[Mapping[type[object], str]] = {
    kv.Get: "get",
    kv.Set: "set",
    kv.SetIf: "set_if",
    kv.Delete: "delete",
    kv.ScanBatch: "scan",
}


@attrs.frozen(kw_only=True)
class Plot:
    """What happens in a row. places: the effects before which the others run, as ``2`` or ``o2``; faults: each its
    place and kind; later: seconds."""

    before: tuple[Call, ...]
    call: Call
    others: tuple[Call, ...] = ()
    places: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()
    later: int = 0
    then: tuple[Call, ...] = ()


class _Clock(ClockEffects):
    """A clock that is ahead, and notes that it was read."""

    def __init__(self, stage: "_Stage") -> None:
        self._stage = stage

    async def now(self) -> int:
        self._stage.note("now")
        self._stage.names.now = await super().now() + self._stage.ahead
        return self._stage.names.now


class _Midst:
    """What happens in the midst of a call: others come in, effects fail. Without a plot, nothing does."""

    def __init__(self, stage: "_Stage", plot: Plot | None = None) -> None:
        self.answers: list[str] = []
        self._stage = stage
        self._plot = Plot(before=(), call=Call(nothing)) if plot is None else plot
        self._passed: set[str] = set()

    async def before(self, place: str) -> str:
        """Let the others in, if this is a place of theirs; how the effect fails, or nothing."""
        self._passed.add(place)
        if place in self._plot.places:
            await self._meet()
        return dict(self._plot.faults).get(place, "")

    async def _meet(self) -> None:
        """Run all the others; their effects are not noted."""
        for other in self._plot.others:
            self.answers.append(await self._stage.answered(other))

    async def rest(self) -> None:
        """Run the others of the places that the call has not come to."""
        for place in self._plot.places:
            if place not in self._passed:
                await self._meet()


class _Store(KVEffects):
    """A store that notes what is done to it; and, for the call itself, lets others in, and fails as it is told."""

    def __init__(self, stage: "_Stage", midst: _Midst) -> None:
        self._stage = stage
        self._midst = midst
        self._count = 0

    async def perform(self, op: kv.Op) -> object:
        stage = self._stage
        stage.partitions.setdefault(op.partition)
        self._count += 1
        kind = await self._midst.before(str(self._count))
        key = op.start if isinstance(op, kv.ScanBatch) else op.key
        stage.note(f"{_SHOWN_OPS[type(op)]} {stage.names.key(op.partition, key)}")
        return await (self._failed(op, kind) if kind else super().perform(op))

    async def _failed(self, op: kv.Op, kind: str) -> object:
        """As a store may fail; an operation that cannot fail like this does not."""
        if kind == "refused" or (kind == "broken" and isinstance(op, kv.ScanBatch)):
            raise kv.Refused if kind == "refused" else kv.ScanInterrupted
        if kind == "missed" and isinstance(op, WRITES):
            raise kv.OutcomeUnknown
        reply = await super().perform(op)
        if kind == "false" and isinstance(op, kv.SetIf):
            raise kv.PredicateFailed
        if kind == "lost" and isinstance(op, WRITES):
            raise kv.OutcomeUnknown
        return reply


class _Objects(ObjectEffects):
    """An object store of which the same is true; what a commit writes of itself is neither noted nor counted."""

    def __init__(self, stage: "_Stage", midst: _Midst) -> None:
        self._stage = stage
        self._midst = midst
        self._count = 0

    async def perform(self, op: objects.Op) -> object:
        stage = self._stage
        stage.objects = True
        shown = stage.names.object_effect(op)
        if not shown:
            return await super().perform(op)
        self._count += 1
        kind = await self._midst.before(f"o{self._count}")
        stage.note(shown)
        if kind == "refused":
            raise kv.Refused
        if kind == "missed" and isinstance(op, OBJECT_WRITES):
            raise kv.OutcomeUnknown
        reply = await super().perform(op)
        if kind == "false" and objects.conditional(op):
            raise objects.PreconditionFailed
        if kind == "lost" and isinstance(op, OBJECT_WRITES):
            raise kv.OutcomeUnknown
        return reply


class _Stage:
    """Where a row is played: what it has touched, and the names of what it has met."""

    def __init__(self, env: Env) -> None:
        self.names = Names()
        self.partitions: dict[bytes, None] = {}
        self.objects = False
        self.ahead = 0
        self._noted: list[str] | None = None
        self._env = env
        kinds: dict[str, Iterator[int]] = {}

        def unique(kind: str) -> str:
            return f"{kind[0]}{next(kinds.setdefault(kind[0], itertools.count(1)))}"

        self._ids = Ids(unique=unique)

    def note(self, effect: str) -> None:
        if self._noted is not None:
            self._noted.append(effect)

    def env(self, midst: _Midst) -> Env:
        return Env(ids=self._ids, store=_Store(self, midst), objects=_Objects(self, midst), clock=_Clock(self))

    async def answered(self, call: Call, plot: Plot | None = None) -> str:
        """A call to its end, and what it answers. plot: its effects are noted, and things happen in its midst."""
        midst = _Midst(self, plot)
        noted, self._noted = self._noted, [] if plot is not None else None
        try:
            found = self.names.answer(await call.start(self.env(midst)))
        except (FlowError, kv.KVError, objects.ObjectError) as error:
            found = type(error).__name__ + ("" if error.definite else "?")
        except RuntimeError as error:  # what stands for the panic of a server
            found = self.names.panic(str(error))
        effects, self._noted = self._noted, noted
        if effects is None:
            return found
        self.effects = tuple(effects)
        await midst.rest()
        return "; ".join((found, *midst.answers))

    async def contents(self) -> dict[tuple[bytes, bytes], bytes]:
        """All that is there, in the partitions that were touched."""
        found = {}
        for partition in tuple(self.partitions):
            async for entry in self._env.store.scan(partition):
                found[partition, entry.key] = entry.value
        return found

    async def shown_objects(self) -> dict[str, str]:
        """The objects that are shown, by name: what they hold."""
        found = {}
        for head in [head async for head in self._env.objects.list()] if self.objects else ():
            if name := self.names.address(head.address):
                content = await self._env.objects.get(head.address)
                metadata = (await self._env.objects.head(head.address)).metadata
                found[name] = self.names.stored(head.address, content, metadata)
        return found

    async def clear(self) -> None:
        """Leave nothing for the next row."""
        for partition, key in await self.contents():
            await self._env.store.delete(partition, key)
        if self.objects:
            for address in [head.address async for head in self._env.objects.list()]:
                await self._env.objects.delete(address)


async def played(env: Env, plot: Plot) -> Gone:
    """A row of a table, from an empty store; how it went."""
    stage = _Stage(env)
    stage.names.now = await env.clock.now()
    for each in plot.before:
        await stage.answered(each)
    old, old_objects = await stage.contents(), await stage.shown_objects()
    stage.ahead = plot.later * 1_000_000
    stage.names.now += stage.ahead
    answer = await stage.answered(plot.call, plot)
    later = [await stage.answered(each) for each in plot.then]
    changes = stage.names.changes(old, await stage.contents())
    leaves = "; ".join((*changes, *object_changes(old_objects, await stage.shown_objects())))
    await stage.clear()
    return Gone(answer="; ".join((answer, *later)), effects="; ".join(stage.effects), leaves=leaves)


_HEAD: Final = re.compile(
    r"(?P<before>[^:]*): (?P<word>[\w@]+)"
    r"(?:, met by (?P<others>[\w.@]+) at (?P<places>o?\d+(?:, o?\d+)*))?"
    rf"(?P<faults>(?:, (?:{'|'.join(FAULTS)}) at o?\d+)*)"
    r"(?:, (?P<later>\d+) s later)?"
    r"(?:, then (?P<then>[\w.@]+))?"
)
_FAULT: Final = re.compile(r"(\w+) at (o?\d+)")
_LINES: Final = ("answers", "by", "leaves")


def _plot(head: str, words: Mapping[str, Call], first: tuple[Call, ...]) -> Plot:
    found = _HEAD.fullmatch(head)
    if found is None:
        form = "BEFORE: WORD[, met by WORDS at N][, FAULT at N]...[, N s later][, then WORDS]"
        raise RaceError(f"{head!r}: expected {form}")

    def calls(text: str | None) -> tuple[Call, ...]:
        named = [name for name in (text or "").split(".") if name]
        if unknown := [name for name in named if name not in words]:
            raise RaceError(f"{head!r}: {unknown[0]!r} is no word; expected one of {', '.join(words)}")
        return tuple(words[name] for name in named)

    (call,) = calls(found["word"])
    return Plot(
        before=(*first, *calls(found["before"])),
        call=call,
        others=calls(found["others"]),
        places=tuple(place for place in (found["places"] or "").split(", ") if place),
        faults=tuple((at, kind) for kind, at in _FAULT.findall(found["faults"])),
        later=int(found["later"] or 0),
        then=calls(found["then"]),
    )


def parsed(table: str, words: Mapping[str, Call], first: tuple[Call, ...] = ()) -> list[tuple[str, Plot, Gone]]:
    """The rows of a table: head, what happens, what is stated of it. first: what is there before each row.

    Raises:
        RaceError: a line is none of a row, or a word is unknown; the message names it.
    """
    rows: list[tuple[str, dict[str, str]]] = []
    for line in filter(None, map(str.rstrip, table.splitlines())):
        if not line.startswith(" "):
            rows.append((line, {}))
            continue
        start, _, rest = line.strip().partition(" ")
        if not rows or (start not in _LINES and not rows[-1][1]):
            raise RaceError(f"{line.strip()!r}: expected a line that begins with {', '.join(_LINES)}, under a head")
        said = rows[-1][1]
        if start in _LINES and start not in said:
            said[start] = rest
        else:
            said[list(said)[-1]] += " " + line.strip()
    return [
        (head, _plot(head, words, first), Gone(said.get("answers", ""), said.get("by", ""), said.get("leaves", "")))
        for head, said in rows
    ]


async def nothing(env: Env) -> None:
    """The client of a scenario whose calls are all in its aftermath."""


@attrs.frozen(kw_only=True)
class StatedDesign(Design[None]):
    """The flows of a design, held to a table."""

    flows: None = None

    def vocabulary(self) -> Mapping[str, Word[None]]:
        return {"nothing": Word(lambda _: nothing)}

    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        return []


def stated(name: str, words: Mapping[str, Call], table: str, source: str, first: tuple[Call, ...] = ()) -> Row:
    """The row of the catalogue that holds a design to a table. first: what is there before each of its rows. Cost: the
    effects of each row, one after the other.

    Raises:
        RaceError: as `parsed`.
    """
    lines = parsed(table, words, first)
    after = Aftermath(
        id=GOES_AS_STATED,
        meaning=GOES_AS_STATED_MEANING,
        calls=[Call(played, plot) for _, plot, _ in lines],
        check=goes_as_stated([(head, gone) for head, _, gone in lines]),
    )
    design = StatedDesign(name=f"stated/{name}", source=source, refuted=HOLDS)
    (row,) = rows(design, "nothing", NONE, more=(after,), name="table")
    return row
