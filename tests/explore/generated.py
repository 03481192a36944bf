"""Generated flow sets: small random programs with faults and invariants, on which all searches must agree.

A `FlowSet` is a plain hashable value, so that a failing one is printed and shrunk; `FlowSet.scenario` builds what runs.
"""

import itertools
from functools import lru_cache
from typing import Final

import attrs
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lakeproof import Call, Faults, Scenario
from tests.explore.demands import Demands, aftermath, invariants
from tests.explore.programs import (
    ADDRESSES,
    DIGITS,
    KEYS,
    Branch,
    Clock,
    Copy,
    Delete,
    Fetch,
    Fresh,
    Get,
    Hold,
    Instruction,
    Operand,
    Pages,
    Program,
    Put,
    Replay,
    Scan,
    Set,
    SetIf,
    Stamp,
    Together,
    Unless,
    Unlink,
    run_program,
)

FIXED: Final = settings(
    derandomize=True, deadline=None, database=None, suppress_health_check=[*HealthCheck], print_blob=False
)
"""The profile of all generated tests here: the same sets on every run, however slow the machine."""


@attrs.frozen
class FlowSet:
    """Clients, faults and invariants."""

    clients: tuple[tuple[tuple[Program, int], ...], ...]
    """For each client its calls: a program, and how often it is attempted."""
    setup: tuple[Program, ...]
    faults: Faults
    demands: Demands

    def scenario(self) -> Scenario:
        return Scenario(
            name="generated",
            setup=[Call(run_program, program) for program in self.setup],
            clients=[
                [Call(run_program, program, attempts=attempts) for program, attempts in calls] for calls in self.clients
            ],
            faults=self.faults,
            invariants=list(invariants(self.demands)),
            aftermath=[aftermath(self.demands)],
        )


keys = st.integers(0, len(KEYS) - 1)
addresses = st.integers(0, len(ADDRESSES) - 1)
operands: st.SearchStrategy[Operand] = st.one_of(st.integers(0, DIGITS - 1), st.sampled_from(("last", "next", "held")))


def effects() -> st.SearchStrategy[Instruction]:
    """Instructions that do something; the likelier ones twice."""
    read: st.SearchStrategy[Instruction] = st.builds(Get, keys)
    write: st.SearchStrategy[Instruction] = st.builds(Set, keys, operands)
    conditional: st.SearchStrategy[Instruction] = st.builds(
        SetIf, keys, operands, st.sampled_from(("read", "absent", "exists")), st.integers(1, 2)
    )
    return st.one_of(
        read,
        read,
        write,
        write,
        conditional,
        conditional,
        st.builds(Delete, keys, st.booleans()),
        st.builds(Scan, st.sampled_from((b"p", b"q")), st.integers(0, 2)),
        st.builds(Replay, keys),
        st.builds(Put, addresses, operands, st.sampled_from(("none", "absent", "soon"))),
        st.builds(Stamp, addresses, operands),
        st.builds(Fetch, addresses, st.booleans()),
        st.builds(Copy, addresses, st.booleans()),
        st.builds(Unlink, addresses),
        st.builds(Pages, st.integers(0, 2)),
    )


def programs(shortest: int, longest: int) -> st.SearchStrategy[Program]:
    """Programs of so many effects, with what touches nothing in between."""
    silent: st.SearchStrategy[Instruction] = st.one_of(
        st.builds(Fresh), st.builds(Clock), st.builds(Hold, st.booleans()), st.builds(Unless, st.booleans())
    )
    part = st.tuples(st.one_of(st.just(()), silent.map(lambda one: (one,))), effects())
    parts = st.integers(shortest, longest).flatmap(lambda number: st.tuples(*[part] * number))
    instructions = parts.map(lambda found: tuple(one for before, effect in found for one in (*before, effect)))
    returns = st.sampled_from(("nothing", "last", "held", "all"))
    return st.builds(Program, instructions, returns, st.booleans())


branch_effects = st.one_of(st.tuples(effects()), st.tuples(effects()), st.tuples(effects(), effects()))
branches: st.SearchStrategy[Branch] = st.builds(
    Branch, branch_effects, st.booleans(), st.sampled_from((None, None, None, 0, 1))
)
failing: st.SearchStrategy[Branch] = st.builds(Branch, st.tuples(st.builds(Fetch, addresses)), st.just(True))
"""Branches that cancel the others, where nobody has written an object."""


def together(nested: st.SearchStrategy[tuple[Instruction, ...]]) -> st.SearchStrategy[Instruction]:
    """Groups of one to three branches; ``nested``: what the main task does meanwhile."""
    several = st.one_of(st.tuples(branches, branches), st.tuples(branches, failing), st.tuples(branches, branches))
    return st.builds(Together, several, nested, st.sampled_from((True, True, False)), st.booleans())


nothing: st.SearchStrategy[tuple[Instruction, ...]] = st.just(())
groups = st.one_of(
    together(nothing),
    together(nothing),
    together(st.tuples(effects())),
    together(st.tuples(together(nothing))),
    st.builds(
        Together,
        st.tuples(failing, st.builds(Branch, st.tuples(together(nothing)), st.booleans())),
        nothing,
        st.booleans(),
    ),
)
"""Groups: flat ones, with a body, with a group in the body, with a group in a branch."""


def parallel_programs(most: int) -> st.SearchStrategy[Program]:
    """Programs of a group, with up to so many effects before or behind it."""
    around = st.lists(effects(), max_size=most).map(tuple)
    instructions = st.tuples(around, groups, around).map(lambda parts: (*parts[0], parts[1], *parts[2][:1]))
    return st.builds(Program, instructions, st.sampled_from(("nothing", "last", "all")), st.booleans())


@st.composite
def parallel_sets(draw: st.DrawFn) -> FlowSet:
    """Sets of one or two clients, at least one of which has several effects open."""
    number = draw(st.sampled_from((1, 1, 2)))
    clients = [((draw(parallel_programs(2 - number)), draw(st.sampled_from((1, 1, 2)))),)]
    if number == 2:
        other = draw(st.one_of(st.just(clients[0][0][0]), programs(1, 1)))
        clients.append(((other, 1),))
    setup = draw(st.lists(st.builds(Set, keys, st.integers(0, DIGITS - 1)), max_size=2))
    return FlowSet(
        clients=tuple(clients),
        setup=(Program(tuple(setup)),) if setup else (),
        faults=draw(faults(kinds=1, clients=number)),
        demands=draw(
            st.builds(Demands, st.integers(0, DIGITS - 1), keys, st.integers(0, 3), st.booleans(), st.booleans())
        ),
    )


KINDS: Final = (
    "refusals",
    "lost_answers",
    "false_predicates",
    "duplicates",
    "scan_failures",
    "crashes",
    "clock_jumps",
)


@st.composite
def faults(draw: st.DrawFn, *, kinds: int, clients: int) -> Faults:
    """At most so many kinds of faults, one of each."""
    sets = [chosen for size in range(kinds + 1) for chosen in itertools.combinations(KINDS, size)]
    chosen = draw(st.sampled_from(sets))
    budget = {kind: int(kind in chosen) for kind in KINDS if kind != "clock_jumps"}
    budget["lost_answers"] |= budget["duplicates"]
    jumps = draw(st.sampled_from(((1,), (0, 2)))) if "clock_jumps" in chosen else ()
    return Faults(**budget, clock_jumps=jumps, clock_skew=draw(st.sampled_from(((), (1,), (0, 1), (1,) * clients))))


SHAPES: Final = {1: (3, 6), 2: (2, 4), 3: (1, 3)}
"""Clients, and the fewest and most effects of each of their programs."""


@st.composite
def flow_sets(draw: st.DrawFn) -> FlowSet:
    """Sets of one to three clients, some of which may run the same programs."""
    number = draw(st.sampled_from((3, 2, 2, 1)))
    program = programs(*SHAPES[number])
    pool = draw(st.one_of(st.tuples(program), st.tuples(program, program)))
    call = st.tuples(st.sampled_from(pool), st.sampled_from((1, 1, 1, 2)))
    calls = st.one_of(st.tuples(call), st.tuples(call, call)) if number == 1 else st.tuples(call)
    setup = draw(st.lists(st.builds(Set, keys, st.integers(0, DIGITS - 1)), max_size=2))
    return FlowSet(
        clients=draw(st.tuples(*[calls] * number)),
        setup=(Program(tuple(setup)),) if setup else (),
        faults=draw(faults(kinds=2, clients=number)),
        demands=draw(
            st.builds(Demands, st.integers(0, DIGITS - 1), keys, st.integers(0, 3), st.booleans(), st.booleans())
        ),
    )


@lru_cache
def corpus(size: int) -> tuple[FlowSet, ...]:
    """The first generated sets, the same ones on every run."""
    found: list[FlowSet] = []

    @settings(FIXED, max_examples=size, phases=[Phase.generate])
    @given(flow_sets())
    def collect(flow_set: FlowSet) -> None:
        found.append(flow_set)

    collect()
    return tuple(found)
