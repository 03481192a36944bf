"""Designs as values, and how a design and a race become a scenario.

A family of designs (`repository_designs`, `branch_designs`, `_hard_delete`, `_retention`) subclasses `Design`: it gives
words their calls, and says which invariants are at stake in a race. A module of the catalogue lists its ``ROWS``.

Example: one client deletes the repository "r", another one creates it, and at most one of them crashes.

>>> from lakeproof.designs.kv3 import KV3
>>> from lakeproof.designs.races import CRASH
>>> [row] = rows(KV3, "delete-create", CRASH)
>>> made = row.scenario()
>>> made.name, [(call.flow.__name__, call.args) for [call] in made.clients]
('repositories/kv3/delete-create/crash', [('delete_repository', ('r',)), ('create_repository', ('r',))])
>>> sorted(made.expect)[:2], KV3.refuted["active-is-complete"].matches(row.race.name)
(['active-is-complete', 'branches-are-reclaimable'], True)
"""

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Final, Generic, TypeVar, Unpack

import attrs

from lakeproof.designs.races import (
    NONE,
    NOTHING,
    ArgumentSlot,
    Before,
    FaultSet,
    Race,
    RaceError,
    Refuted,
    RowOptions,
    Vocabulary,
    op,
    races,
    suggestion,
)
from lakeproof.impl.flows import Flow, bind_reading, options_of, parameters_of
from lakeproof.model.invariants import Afterwards, Finding, Invariant
from lakeproof.model.snapshot import AnySnapshot, Outcome
from lakeproof.scenario import NO_UNHANDLED_EXCEPTION, Aftermath, Call, Scenario

F = TypeVar("F")
AftermathCheck = Callable[[tuple[Outcome, ...], AnySnapshot], Sequence[Finding]]

HOLDS: Final[Mapping[str, Refuted]] = {}
"""The expectation of a design of which nothing is refuted."""


class Caller(enum.Enum):
    """An argument that says whose call it is: client and position, as ``a0``."""

    TEXT = enum.auto()
    BYTES = enum.auto()


@attrs.frozen
class Speaker:
    """Whose word it is: a client's ("a", "b"), the setup's ("s") or the aftermath's ("z"); and its number there."""

    client: str
    position: int

    def __str__(self) -> str:
        return f"{self.client}{self.position}"


@attrs.frozen(init=False)
class Word(Generic[F]):
    """What a word calls: a flow of the design, and its arguments. `Caller` stands for what only the caller knows, a
    `ArgumentSlot` for what the word may name."""

    flow: Callable[[F], Flow | None]
    args: tuple[Hashable, ...]
    attempts: int

    def __init__(self, flow: Callable[[F], Flow | None], *args: Hashable, attempts: int = 1) -> None:
        self.__attrs_init__(flow, args, attempts)

    @property
    def places(self) -> tuple[ArgumentSlot, ...]:
        """The arguments that a word may name."""
        return tuple(each for each in self.args if isinstance(each, ArgumentSlot))

    def named(self, word: str) -> tuple[Hashable, ...]:
        """The arguments with those that this word names."""
        return tuple(each.value(word) if isinstance(each, ArgumentSlot) else each for each in self.args)


def as_it_is(scenario: Scenario) -> Scenario:
    """The scenario."""
    return scenario


@attrs.frozen(kw_only=True)
class Design(ABC, Generic[F]):
    """A design in one reading: its flows, and what is known of them."""

    name: str  # area/variant
    flows: F
    source: str
    """Which text, or which page of ours, the flows follow."""
    refuted: Mapping[str, Refuted]
    """By invariant; `HOLDS` where nothing is refuted."""
    options: Mapping[str, Mapping[str, Hashable]] = attrs.field(factory=dict)
    """By op: what this reading does in its own way."""
    words: Mapping[str, Word[F]] = attrs.field(factory=dict)
    """Words of its own, beside those of its family."""

    subject: ClassVar[tuple[Hashable, ...]] = ()
    """What every call has as its first arguments."""
    vocabulary: ClassVar[Mapping[str, Word[Any]]]  # type: ignore[explicit-any]  # a class variable has no parameter
    """The words of the family."""
    founded: ClassVar[Sequence[Call]] = ()
    """The setup of every race."""

    def __attrs_post_init__(self) -> None:
        # An option of a misspelt op would reach no call, and the default reading would be verified under this name.
        for word in self.options:
            if word not in self.known:
                raise RaceError(f"{self.name}: options of {word!r}: no such word; {suggestion(word, self.known)}")

    def founding(self, race: Race) -> Sequence[Call]:
        """The setup."""
        return self.founded

    @abstractmethod
    def invariants(self, race: Race, refuted: Collection[str]) -> Sequence[Invariant]:
        """The invariants whose situation arises in a race. refuted: ids of those that are expected to be violated."""

    def aftermath(self, race: Race) -> Sequence[Aftermath]:
        """What is checked on each final store."""
        return ()

    def after(
        self, what: Afterwards, words: Sequence[str], check: AftermathCheck, *, paged: int = 0, clock_advance: int = 0
    ) -> Aftermath:
        """What must be true after these words, on each final store."""
        calls = [self.call(word, Speaker("z", at), paged) for at, word in enumerate(words)]
        return Aftermath(id=what.id, meaning=what.meaning, calls=calls, check=check, clock_advance=clock_advance)

    def adapt(self, scenario: Scenario) -> Scenario:
        """The scenario as this design needs it."""
        return scenario

    def argument(self, given: Hashable, speaker: Speaker) -> Hashable:
        """An argument of a word, as this speaker says it."""
        if isinstance(given, Caller):
            return str(speaker) if given is Caller.TEXT else str(speaker).encode()
        # Also within tuples, such as the (path, value) of ``write_several``.
        return tuple(self.argument(each, speaker) for each in given) if isinstance(given, tuple) else given

    @property
    def known(self) -> Mapping[str, Word[F]]:
        """All words that mean something here, by op."""
        return {**self.vocabulary, **self.words}  # a word of its own takes the place of one of the family

    @property
    def places(self) -> Vocabulary:
        """For each op what its words may name."""
        return {name: word.places for name, word in self.known.items()}

    def call(self, word: str, speaker: Speaker, paged: int = 0) -> Call:
        """What a word calls. paged: rows in each page of its scans.

        Raises:
            RaceError: the design has no such flow.
        """
        meanings = self.known
        # A key with a place, as ``stage@outside``, is a call of its own. Any other word is found by its op.
        meant = meanings[word if word in meanings else op(word)]
        flow = meant.flow(self.flows)
        if flow is None:
            raise RaceError(f"{self.name}: {word!r} calls a flow that the design does not have; add it to its FLOWS")
        options = dict(self.options.get(op(word), {}))
        parameters = parameters_of(flow)
        # A flow with ``**options`` hands them on, so that its own signature does not say what it takes.
        takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters.values())
        if not takes_any and (strange := options.keys() - options_of(flow, options).keys()):
            known = f"{', '.join(parameters)}; a reading is of the class of its default"
            raise RaceError(f"{self.name}: options {sorted(strange)} of {word!r}: its flow takes {known}")
        if paged and "batch_size" in parameters:  # a flow without scans has no pages
            options["batch_size"] = paged
        args = (self.argument(each, speaker) for each in (*self.subject, *meant.named(word)))
        return Call(flow, *args, attempts=meant.attempts, **options)


AnyDesign = Design[Any]  # type: ignore[explicit-any]  # a row needs no more than what all designs have
Change = Callable[[Scenario], Scenario]
D = TypeVar("D", bound=AnyDesign)


def variant(
    design: D,
    name: str,
    refuted: Mapping[str, Refuted],
    words: Mapping[str, Mapping[str, Hashable]] | None = None,
    note: str = "",
    /,
    **options: Hashable,
) -> D:
    """The design in another reading. words: options by op; options: those of all flows that have them."""
    return attrs.evolve(
        design,
        name=f"{design.name}-{name}",
        flows=bind_reading(design.flows, **options) if options else design.flows,
        source=design.source + note,
        options=words or {},  # not merged with those of the design: the others are as by default
        refuted=refuted,
    )


def recast(design: AnyDesign, kind: type[D], suffix: str, /, **changes: object) -> D:
    """The same reading, judged as a design of another kind."""
    made: Callable[..., D] = kind  # type: ignore[explicit-any]  # the fields differ from kind to kind
    known = attrs.fields_dict(kind)
    # Fields that the other kind lacks are dropped; what it has beside the common ones is among the changes.
    kept = {name: getattr(design, name) for name in attrs.fields_dict(type(design)) if name in known}
    return made(**{**kept, "name": design.name + suffix, **changes})


def but(design: D, invariant_id: str, *, also: str = "", kept: str = "", reason: str = "") -> D:
    """The design, where an invariant is refuted in some races more, and no longer in those that are kept."""
    changed = design.refuted[invariant_id].but(also=also, kept=kept, reason=reason)
    return attrs.evolve(design, refuted={**design.refuted, invariant_id: changed})


@attrs.frozen(kw_only=True)
class Row:
    """One line of the catalogue: a race of a design."""

    design: AnyDesign
    race: Race
    more: tuple[Aftermath, ...] = ()
    """What is checked in this race alone, beside the design's own."""
    adapt: Change = as_it_is
    """What the words of a race cannot say."""

    def scenario(self) -> Scenario:
        """The scenario, with what is refuted in it as its expectation."""
        design, race = self.design, self.race
        # Some families check an invariant where its situation arises, and also wherever it is refuted.
        refuted = [name for name, where in design.refuted.items() if where.matches(race.name)]
        invariants = design.invariants(race, refuted)
        aftermath = (*design.aftermath(race), *self.more)
        if race.only:
            invariants = [each for each in invariants if each.id in race.only]
            aftermath = tuple(each for each in aftermath if each.id in race.only)
        checked = {NO_UNHANDLED_EXCEPTION, *(each.id for each in (*invariants, *aftermath))}
        # A glob may match races that do not check the invariant, too: `Scenario` refuses an expectation of an id that
        # it does not have.
        expect = {name: "violated" for name in refuted if name in checked}
        scenario = Scenario(
            name=f"{design.name}/{race.name}",
            setup=[*design.founding(race), *_calls_of(design, "s", race.before, 0)],  # alone: pages change nothing
            clients=[_calls_of(design, CLIENTS[at], words, race.paged) for at, words in enumerate(race.clients)],
            invariants=invariants,
            aftermath=aftermath,
            faults=race.faults,
            expect=expect,
            reason="; ".join(f"{name}: {design.refuted[name].reason}" for name in expect),
            source=design.source,
            deep=race.deep,
        )
        return self.adapt(design.adapt(scenario))


CLIENTS: Final = "abcdefghijklmnopqr"  # without "s" and "z", which speak in the setup and in the aftermath


def _calls_of(design: AnyDesign, client: str, words: Sequence[str], paged: int) -> list[Call]:
    return [design.call(word, Speaker(client, position), paged) for position, word in enumerate(words)]


def rows(
    designs: Design[F] | Sequence[Design[F]],
    text: str,
    faults: FaultSet = NONE,
    before: Before = NOTHING,
    more: tuple[Aftermath, ...] = (),
    adapt: Change = as_it_is,
    **options: Unpack[RowOptions],
) -> Iterator[Row]:
    """Each race of a text under each of these faults, see `races`: of one design, or of each of several."""
    for design in (designs,) if isinstance(designs, Design) else designs:
        try:
            for race in races(text, design.places, faults, before, **options):
                yield Row(design=design, race=race, more=more, adapt=adapt)
        except RaceError as error:
            raise RaceError(f"{design.name}: {error}") from None


def build_scenarios(given: Sequence[Row]) -> list[Scenario]:
    """The scenarios of these rows.

    Raises:
        RaceError: a glob or an id of an expectation matches nothing in any of them.
    """
    scenarios = [row.scenario() for row in given]
    if dead := list(idle(given, scenarios)):
        raise RaceError(f"{given[0].design.name}: " + "; ".join(dead))
    return scenarios


def idle(given: Sequence[Row], scenarios: Sequence[Scenario]) -> Iterator[str]:
    """Expectations that match no race: each as a sentence.

    Readings of a design share expectations: one is idle if it matches in no race of any reading that has it.
    """
    claims: dict[tuple[str, str], bool] = {}
    checked: dict[str, bool] = {}
    for row, scenario in zip(given, scenarios, strict=True):
        for each in row.race.only:
            checked[each] = checked.get(each, False) or each in scenario.ids
        for name, refuted in row.design.refuted.items():
            for glob in refuted.races:
                matches = name in scenario.ids and fnmatchcase(row.race.name, glob)
                claims[name, glob] = claims.get((name, glob), False) or matches
    yield from (f"only {each!r}: no race checks it" for each, does in checked.items() if not does)
    yield from (f"refuted {name!r}: {glob!r} matches no race" for (name, glob), does in claims.items() if not does)
