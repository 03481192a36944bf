"""What holds in every state, over packed levels: each *always* invariant is judged once per projection that it reads.

What it reads is found out, unless it declares that. It is shown the stores first, and each projection on them is judged
once. An evaluation that looks further counts for nothing: from this level on, this level included, the invariant is
judged on the wider projection. Example: a check looks at clients only where a key is there. On two levels the key is
absent, and one evaluation stands for all states of them, as it would have found the same in each. On the third level
the key is there in one state. The check looks at clients, so all states of this level are judged by stores and clients.

Why that is sound: a check is a function of what it looks at (`lakeproof.search.recheck`). Where it has looked at no
more than a projection shows, it finds the same in every state with this projection. So what counts stays right, on
earlier levels too; and where an invariant comes to share a projection with others, all that they have met was judged
for it, on the narrower one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import attrs

from lakeproof.model.invariants import Always, Finding, Reads, Violation, violations
from lakeproof.model.snapshot import Snapshot, Transition
from lakeproof.scenario import Scenario, ScenarioError
from lakeproof.search import evaluation
from lakeproof.search.faults import Move
from lakeproof.search.fresh_names import NotOpaque, Spelling
from lakeproof.search.kernel import Kernel
from lakeproof.search.packing import Words
from lakeproof.search.projections import STORED, Projections, trim_zeros
from lakeproof.search.recheck import Again
from lakeproof.search.semantics import UNREAD
from lakeproof.search.symmetry import Exchanges

T = TypeVar("T", Snapshot, Transition)


@attrs.frozen
class FirstReach:
    """Where something was met first: a state, and for transitions the move out of it."""

    level: int
    numbers: tuple[int, ...]
    move: Move | None = None


class TellsClientsApart(Exception):
    """An invariant judges a state otherwise when interchangeable clients change places: there is no symmetry."""


@attrs.define
class Record:
    """What is known of one invariant so far."""

    id: str
    reached: int = 0
    example: str = ""
    violation: Violation | None = None
    place: FirstReach | None = None

    def add(self, findings: Iterable[Finding], place: FirstReach) -> None:
        """Take in what one evaluation found."""
        for finding in findings:
            if isinstance(finding, Violation):
                if self.violation is None:  # the first one, on the lowest level: the shortest way
                    self.violation, self.place = finding, place
            else:
                self.reached += 1
                self.example = self.example or finding.what


class States(Projections):
    """Puts *always* invariants to the states of levels."""

    def __init__(
        self,
        scenario: Scenario,
        kernel: Kernel,
        groups: Sequence[Sequence[int]],
        found_out: dict[str, frozenset[Reads]] | None,
    ) -> None:
        """groups: of interchangeable clients. found_out: by id, what invariants have read that do not declare it; is
        added to."""
        super().__init__(kernel)
        self._groups = groups
        self.found_out = {} if found_out is None else found_out
        self.records = {name: Record(name) for name in scenario.ids}
        self._again = Again()
        self._always = [i for i in scenario.invariants if isinstance(i, Always)]
        self._exchanges = Exchanges(groups)
        self.spellings: Sequence[Spelling] = ()
        """Other ones of identifiers: each state is judged in these, too."""
        self._alike: set[tuple[frozenset[Reads], tuple[int, ...]]] = set()

    def always(self, words: Words, level: int) -> None:
        """Judge the states of a level."""
        judged: list[frozenset[Reads]] = []
        # An invariant that looks further is judged again on this level, with those that read as much as it does then.
        while left := [reads for reads in self.open_reads() if reads not in judged]:
            judged.append(left[0])
            self._judge_states(left[0], words, level)

    def open_reads(self) -> list[frozenset[Reads]]:
        """What is projected on for *always* invariants that are not violated yet, the narrower before the wider: one
        that turns out to read more has its turn to come."""
        open_ = {self._projected(i) for i in self._always if self.records[i.id].violation is None}
        return sorted(open_, key=lambda parts: (len(parts), sorted(part.value for part in parts)))

    def _projected(self, invariant: Always) -> frozenset[Reads]:
        """What an invariant reads, and both stores: they make up one projection."""
        return STORED | (self.found_out.get(invariant.id, STORED) if invariant.reads is None else invariant.reads)

    def _judge_states(self, reads: frozenset[Reads], words: Words, level: int) -> None:
        for row, numbers in self.fresh(("always", reads), words, reads):
            self.state(reads, numbers, FirstReach(level, self.full(words, row)))

    def state(self, reads: frozenset[Reads], numbers: tuple[int, ...], place: FirstReach) -> None:
        """Put the *always* invariants that read this to a projection."""
        space = self.kernel.space
        seen = space.snapshot(numbers, clients=Reads.CLIENTS in reads, clock=Reads.CLOCK in reads)
        # The state itself is judged in any case: it is a projection that was not met before.
        cases = [seen] if self._exchanged(reads, numbers) else list(self._exchanges.of(seen))
        cases += [
            space.snapshot(numbers, clients=Reads.CLIENTS in reads, clock=Reads.CLOCK in reads, spelling=spelling)
            for spelling in self.spellings
        ]
        shown: dict[frozenset[Reads], list[Snapshot]] = {}
        for invariant in self._always:
            record = self.records[invariant.id]
            # `found_out` may have grown on this level: the invariant then waits for its wider projection.
            if record.violation is not None or self._projected(invariant) != reads:
                continue
            parts = reads if invariant.reads is None else invariant.reads  # a declared one sees what it declares
            if parts not in shown:
                shown[parts] = [case.only(parts) for case in cases]
            ask = evaluation.findings if invariant.reads is not None else evaluation.found_out
            try:
                record.add(self.check_all_symmetric(invariant.id, invariant.check, iter(shown[parts]), ask), place)
            except evaluation.LooksFurther as further:
                # States of such a search have no time: on the wider projection, the clock would be refused as well.
                if Reads.CLOCK in further.parts and self.kernel.setting.scenario.time == "sleeps":
                    raise ScenarioError(f"{invariant.id} looks at now: {UNREAD}") from further
                self.found_out[invariant.id] = reads | further.parts

    def _exchanged(self, reads: frozenset[Reads], numbers: tuple[int, ...]) -> bool:
        """Whether no exchange of clients is to be looked at here: nothing reads clients, or all exchanges of this
        projection have been judged alike when one of them was met."""
        if not self._groups or Reads.CLIENTS not in reads:
            return True
        columns = self.kernel.space.clients
        # All arrangements of the same nodes have one key: with the nodes of each group in ascending order.
        arranged = list(numbers)
        for group in self._groups:
            for client, node in zip(group, sorted(numbers[columns[client]] for client in group), strict=True):
                arranged[columns[client]] = node
        key = (reads, trim_zeros(tuple(arranged)))
        known = key in self._alike
        self._alike.add(key)
        return known

    def check_all_symmetric(
        self,
        name: str,
        check: Callable[[T], Iterable[Finding]],
        cases: Iterator[T],
        ask: Callable[[str, evaluation.Check, T], list[Finding]] = evaluation.findings,
    ) -> list[Finding]:
        """What a check finds in the first case; the others must be judged alike.

        Raises:
            TellsClientsApart: they are not.
            NotOpaque: the same, where they differ in the spelling of identifiers.
        """
        first = next(cases)  # the state that was reached; all others are made from it
        found = self._kept(name, check, ask(name, check, first), first)
        wrong = any(violations(found))
        for case in cases:
            answer = ask(name, check, case)
            # Only whether it is violated counts: evidence may well name the client that it is about.
            if any(violations(answer)) is not wrong:
                if self.spellings:
                    raise NotOpaque(f"{name} depends on how a fresh identifier is spelled")
                raise TellsClientsApart
            found = found or answer  # its situation may be one of a certain client
        return found

    def take_again(self, name: str, what: str, ask: Callable[[], object], answer: object) -> None:
        """Take in an answer of user code, which may be called for again."""
        self._again.take(name, what, ask, answer)

    def _ask(self, name: str, check: evaluation.Check, *shown: object) -> list[Finding]:
        return self._kept(name, check, evaluation.findings(name, check, *shown), *shown)

    def _kept(self, name: str, check: evaluation.Check, found: list[Finding], *shown: object) -> list[Finding]:
        """What was found, which may be requested again."""
        self._again.take(
            name, "findings", partial(evaluation.count_findings, name, check, *shown), evaluation.count(found)
        )
        return found
