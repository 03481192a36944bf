"""Flow sets made by hand: each is about one thing, and small enough to be followed on paper."""

from collections.abc import Hashable
from typing import Final

import attrs

from lakeproof import Faults
from tests.differential.demands import (
    After,
    Demand,
    Distinct,
    Ends,
    Glance,
    Holds,
    NoneRaised,
    NoneReturned,
    NotAhead,
    NotWhile,
    Order,
    Steps,
)
from tests.differential.generated import CallOf, FlowSet
from tests.differential.interpreter import as_written
from tests.differential.programs import (
    Clock,
    Const,
    Copy,
    Delete,
    Finally,
    Get,
    Head,
    Instruction,
    Keep,
    KeepLast,
    Mark,
    Mint,
    Own,
    Pages,
    Program,
    Put,
    Raise,
    Retry,
    Scan,
    Set,
    SetIf,
    Source,
    Transact,
    Unlink,
    When,
)
from tests.differential.values import Alike, Tagged, Versioned

WRITE: Final = Set(0, Const(b"x"))
WRITER: Final = CallOf(Program((WRITE,)))


def made(
    *clients: CallOf | tuple[CallOf, ...],
    demands: tuple[Demand, ...],
    setup: tuple[Instruction, ...] = (),
    faults: Faults | None = None,
    recover: tuple[CallOf, ...] = (),
) -> FlowSet:
    """recover: by client, what it runs first after a restart."""
    return FlowSet(
        seed=-1,
        clients=tuple(calls if isinstance(calls, tuple) else (calls,) for calls in clients),
        setup=setup,
        faults=faults or Faults(),
        demands=(Holds(), *demands),
        aftermath=None,
        recover=tuple((call,) for call in recover),
    )


def call(
    *instructions: Instruction, returns: Source = "last", given: Hashable = None, stubborn: bool = False
) -> CallOf:
    return CallOf(Program(instructions, returns, stubborn), given)


def told(first: Hashable, second: Hashable) -> FlowSet:
    """A reader returns the first value if it meets the write, and the second one if not."""
    reader = call(Get(0), Keep(first, second), returns="held")
    return made(reader, WRITER, demands=(NoneReturned(first), NoneReturned(second), NotWhile(0, b"x", second)))


def given(first: Hashable, second: Hashable, *, named: bool = False) -> FlowSet:
    """Two clients that differ in their argument only."""
    program = Program((Get(0),), "given")
    first_call, second_call = (CallOf(program, value, named) for value in (first, second))
    return made(first_call, second_call, demands=(NoneReturned(first), NoneReturned(second), Distinct()))


def remembered(first: Hashable, second: Hashable) -> FlowSet:
    """What was read is forgotten but for this value, which is written two effects later."""
    reader = call(Get(0), Keep(first, second), Get(1), Set(2, "held"))
    written = [NotWhile(2, as_written(value), None) for value in (first, second)]
    return made(reader, WRITER, demands=tuple(written))


def raised(first: Hashable, second: Hashable) -> FlowSet:
    """An error carries one value or the other."""
    reader = call(Get(0), Keep(first, second), Raise("definite", "held"))
    return made(reader, WRITER, demands=(NoneRaised(first, 9), NoneRaised(second, 9)))


def shown(first: Hashable, second: Hashable) -> FlowSet:
    """A ghost variable is one value or the other."""
    glance = Glance("errors", (first, second))
    ends = tuple(Ends(time=9, keys=9, seen=value, observer=glance) for value in (first, second))
    return made(call(WRITE, stubborn=True), demands=ends, faults=Faults(refusals=1))


def in_turn(*states: Hashable) -> FlowSet:
    """A monitor is in one state or the other, whoever returned last."""
    ends = tuple(Order("client", states, reset="never", wrong=None, bad_end=state, key=0) for state in states)
    return made(WRITER, call(Get(0)), demands=ends)


CONDITIONAL: Final = (Mark(0, Const(b"y"), "metageneration"), Copy(0, destination="absent"), Unlink(0, match=True))
INTENT: Final = Own(Set(0, Const(b"x")))
LOOKS: Final = call(Own(Get(0)), stubborn=True)
LOGS: Final = call(Own(Get(0)), INTENT, WRITE)
RESTART: Final = Faults(restarts=1)

STEP_AT: Final = tuple(Steps("clock", "time", time) for time in (0, 3))
READ_AT: Final = tuple(Steps("clock", "reply", time) for time in (0, 1, 3, 4))

HANDMADE: Final = {
    "a monitor over clients of one program": made(
        *[call(Get(0), WRITE)] * 2,
        demands=tuple(Order("client", (1, 2), "never", wrong=None, bad_end=state, key=0) for state in (1, 2)),
    ),
    "True or 1 is returned": told(True, 1),
    "0 or False is returned": told(0, False),
    "0.0 or -0.0 is returned": told(0.0, -0.0),
    "1 or 1.0 is returned, in a tuple": told((1, b"x"), (1.0, b"x")),
    "a note that equality ignores is returned": told(Tagged("t", 1), Tagged("t", 2)),
    "a version that comparison ignores is returned": told(Versioned("v", 1), Versioned("v", 2)),
    "what equals everything is returned": told(Alike(1), Alike(2)),
    "an argument is True or 1": given(True, 1),
    "an argument is 0.0 or -0.0": given(0.0, -0.0),
    "an option is True or 1": given(True, 1, named=True),
    "an argument's version is ignored by comparison": given(Versioned("v", 1), Versioned("v", 2)),
    "an argument equals everything": given(Alike(1), Alike(2)),
    "True or 1 is remembered": remembered(True, 1),
    "a note that equality ignores is remembered": remembered(Tagged("t", 1), Tagged("t", 2)),
    "an error carries True or 1": raised(True, 1),
    "a ghost variable is 0 or False": shown(0, False),
    "a monitor's state is True or 1": in_turn(True, 1),
    "a monitor's state is 0.0 or -0.0": in_turn(0.0, -0.0),
    "a monitor's state is the string dead": in_turn("dead", "alive"),
    "a monitor's state has a version that comparison ignores": in_turn(Versioned("v", 1), Versioned("v", 2)),
    "an aftermath runs at each time of a final store": attrs.evolve(
        made(WRITER, demands=(), faults=Faults(clock_jumps=(5,))), aftermath=After((Clock(),), value=5)
    ),
    "a step is at the time of its state": made(
        call(Clock(), WRITE), demands=(*STEP_AT, Steps("writes", "time", 3)), faults=Faults(clock_jumps=(3,))
    ),
    "a client's clock is ahead, the stores' is not": made(
        call(Clock()), demands=(*STEP_AT, *READ_AT), faults=Faults(clock_jumps=(3,), clock_skew=(1,))
    ),
    "what a step writes is dated by the stores' clock": made(
        call(Put(0, Const(b"x")), Copy(0)),
        demands=(Steps("objects", "modified", 0), Steps("objects", "modified", 3), Ends(time=3, keys=9, seen="never")),
        faults=Faults(clock_jumps=(3,), clock_skew=(1,)),
    ),
    "a request expires by the stores' clock": made(
        call(Put(0, Const(b"x"), soon=1)),
        demands=(Steps("objects", "reply", "Expired"), Steps("objects", "modified", 1), NoneRaised("never", 0)),
        faults=Faults(clock_jumps=(1, 1), clock_skew=(5,)),
    ),
    "a late write is dated by the clock of its arrival": made(
        call(Put(0, Const(b"x")), stubborn=True),
        call(Head(0, "last_modified"), stubborn=True),
        demands=(Steps("objects", "modified", 2), NoneReturned(2), Ends(time=2, keys=9, seen="never")),
        faults=Faults(clock_jumps=(2,), lost_answers=1, duplicates=1),
    ),
    "only a late write shrinks the store, and a monitor looks on": made(
        *[call(SetIf(1, Const(b"x"), "absent"), When("failed", (Raise("definite"),)), Delete(0), WRITE, stubborn=True)]
        * 2,
        demands=(
            *(Steps("writes", "shrinks", None, client) for client in (0, 1)),
            Order("client", (1, 2), "never", wrong=None, bad_end=None, key=0),
        ),
        faults=Faults(lost_answers=1, duplicates=1),
    ),
    "a situation of the first of two clients, which the state that stands for both shows of the second": made(
        *[call(SetIf(0, Const(b"x"), "absent"), When("failed", (Raise("value"),)), stubborn=True)] * 2,
        call(Delete(0)),
        setup=(Set(0, Const(b"x")),),
        demands=(NoneReturned(b"never", 0), Ends(time=9, keys=9, seen=b"never")),
    ),
    "one client of two that run one program": made(
        *[call(WRITE, Delete(0))] * 2,
        demands=(
            *(Steps("writes", "shrinks", None, client) for client in (0, 1)),
            *(NotAhead(client) for client in (0, 1)),
        ),
    ),
    "clients of one program whose clocks differ": made(
        *[call(Clock(), WRITE, returns="log")] * 2,
        demands=(NoneReturned((0,), 1), NoneReturned((4,), 0), NoneReturned((4,), 1), NotAhead(0), NotAhead(1)),
        faults=Faults(clock_jumps=(3,), clock_skew=(0, 1)),
    ),
    "a flow raises after an effect, or before any": made(
        (call(Get(0), When("found", (Raise("value"),))), call(Get(1))),
        (call(WRITE), call(Raise("assert"))),
        demands=(NoneRaised("never", 0), NotAhead(1), Order("turn", (1, 2), "never", None, 2, 0)),
    ),
    "a flow raises what is no answer, and its next attempt never comes": made(
        CallOf(Program((WRITE, Get(0), Raise("value", "last"))), attempts=2),
        demands=(NoneRaised("never", 0), NoneReturned(None)),
        faults=Faults(refusals=1),
    ),
    "a crash in the middle of a finally": made(
        call(Finally(0, (WRITE, Get(1)))),
        demands=(NotWhile(0, b"x", None), Ends(time=9, keys=1, seen="never"), NoneRaised("never", 0)),
        faults=Faults(crashes=1, refusals=1),
    ),
    "clients of one program that mint identifiers": made(
        *[call(Mint(), KeepLast(), Set(0, "held"), Get(0))] * 2,
        demands=(Distinct(), NotAhead(0), NoneReturned(as_written("a1")), NoneReturned(as_written("b1"))),
    ),
    "clients of one program that mint identifiers of which no demand speaks": made(
        *[call(Mint(), KeepLast(), Set(0, "held"))] * 2, demands=(NotWhile(0, as_written("b1"), None),)
    ),
    "scans and pages break off, and writes fall between them": made(
        call(Scan(b"p", 1), Pages(1), returns="log", stubborn=True),
        call(Delete(1), Set(0, Const(b"y"))),
        demands=(Ends(time=9, keys=1, seen="never"), NoneReturned((b"x",))),
        setup=(Set(0, Const(b"x")), Set(1, Const(b"y")), Put(0, Const(b"x")), Put(1, Const(b"x"))),
        faults=Faults(scan_failures=1, crashes=1),
    ),
    "a key has more values than the tables have room for at first": made(
        CallOf(Program(tuple(Set(0, Const(bytes([65 + number]))) for number in range(6)))),
        CallOf(Program((Get(1), Get(0)))),
        demands=(Distinct(),),
    ),
    "increments race": made(
        *[call(Get(0), Retry(2, (SetIf(0, "last", "read"),)), KeepLast(), Set(1, "both"))] * 2,
        demands=(NoneRaised("never", 0), NotWhile(0, None, None)),
        setup=(Set(0, Const(b"x")),),
        faults=Faults(false_predicates=1),
    ),
    "conditions that another value does not satisfy": made(
        call(Get(0), SetIf(0, Const(b"x"), "read")),
        call(Set(0, Const(b"y"))),
        demands=(NoneRaised("never", 0),),
        setup=(Set(0, Const(b"0")),),
    ),
    "conditions on nothing, and on anything": made(
        call(SetIf(0, Const(b"x"), "absent"), SetIf(0, Const(b"0"), "exists"), returns="log", stubborn=True),
        call(Delete(0), Set(0, Const(b"y"))),
        demands=(NoneReturned(("PredicateFailed",)), Ends(time=9, keys=0, seen="never")),
    ),
    "clients of one program with a late write": made(
        *[call(Get(0), Set(0, "both"), Set(1, "last"))] * 2,
        demands=(Ends(time=9, keys=2, seen="never"), NoneRaised("never", 1)),
        faults=Faults(lost_answers=1, duplicates=1),
    ),
    "what was read shows where something is found, and not where it runs alone": made(
        call(Get(0), KeepLast(), Get(1), When("found", (Set(2, "held"),))),
        call(WRITE, Set(1, Const(b"x"))),
        demands=(Ends(time=9, keys=3, seen="never"), NotWhile(2, as_written(None), None)),
        setup=(Set(0, Const(b"0")),),
    ),
    "what was read is forgotten": made(
        *[call(Get(0), KeepLast(), Keep(1, 1), Get(1))] * 2,
        WRITER,
        demands=(NoneReturned(b"x"), NotAhead(0)),
        setup=(Set(0, Const(b"0")),),
    ),
    "copies, crashes and lost answers": made(
        call(Put(0, Const(b"x")), Copy(0)),
        call(Copy(1), stubborn=True),
        demands=(NoneRaised("never", 0), Steps("objects", "reply", "ObjectNotFound")),
        faults=Faults(crashes=1, lost_answers=1, duplicates=1, refusals=1),
    ),
    "a copy looks at its destination": made(
        call(Put(0, Const(b"x")), Copy(0, destination="absent")),
        call(Put(1, Const(b"y"))),
        demands=(NoneRaised("never", 0), Steps("objects", "reply", "PreconditionFailed")),
    ),
    "each conditional write of an object may be reported as failed": made(
        call(Put(0, Const(b"x"), "absent"), Head(0, "size_bytes"), *CONDITIONAL),
        demands=(NoneRaised("never", 0),),
        faults=Faults(false_predicates=1),
    ),
    "a deleter meets another at the same point": made(
        *[call(Scan(b"p", 0), Delete(0), Delete(1), Get(2))] * 2,
        demands=(NotAhead(1),),
    ),
    "two keys change in one step": made(
        call(Transact(0, Const(b"x"), "absent", 1, there=True), stubborn=True),
        call(Get(1), When("nothing", (Get(0),))),
        demands=(NoneReturned(b"x"), NotAhead(1)),
        setup=(Set(1, Const(b"y")),),
        faults=Faults(lost_answers=1, duplicates=1, refusals=1),
    ),
    "what a client keeps outlives it": made(
        call(INTENT, WRITE, Own(Delete(0))),
        demands=(NoneReturned(b"x"), Order("turn", (1, 2), "never", wrong=2, bad_end=1, key=0)),
        faults=RESTART,
        recover=(LOOKS,),
    ),
    "a client restarts after its last call": made(
        call(Set(0, Const(b"y"))),
        demands=(Ends(time=9, keys=0, seen="never"), NotWhile(0, b"0", None)),
        faults=RESTART,
        recover=(call(Get(0), When("found", (Set(0, Const(b"0")),))),),
    ),
    "clients of one program that recover otherwise": made(
        *[call(Get(1), INTENT, WRITE)] * 2,
        demands=(NotWhile(0, b"y", None), NoneReturned(b"x")),
        faults=RESTART,
        recover=(LOOKS, call(Set(0, Const(b"y")))),
    ),
    "clients of one program that recover alike": made(
        *[call(INTENT, Get(0), returns="both", stubborn=True)] * 2,
        demands=(NoneReturned(b"x"), NotWhile(1, b"y", None)),
        faults=RESTART,
        recover=(call(Own(Get(0)), When("found", (Set(1, Const(b"y")),))),) * 2,
    ),
    "an identifier is fresh in each life": made(
        call(Mint(), Own(SetIf(0, "last", "absent")), stubborn=True),
        demands=(NoneReturned("a1"), NoneReturned("a2r1"), NoneReturned("a3r1")),
        faults=Faults(restarts=2),
        recover=(call(Mint(), KeepLast(), Own(Get(0)), returns="held"),),
    ),
    "a client restarts in the midst of its recovery, and crashes": made(
        call(INTENT, WRITE),
        demands=(NotWhile(1, b"x", None), Ends(time=9, keys=1, seen="never")),
        faults=Faults(restarts=2, crashes=1),
        recover=(call(Own(Get(0)), When("found", (Own(Delete(0)), Set(1, Const(b"x"))))),),
    ),
    "a client restarts in the midst of a recovery of two calls, which are its own call": attrs.evolve(
        made(LOGS, demands=(NotWhile(0, b"x", None),), faults=Faults(restarts=2)), recover=((LOGS, LOGS),)
    ),
    "a call of one effect is invoked before it returns": made(
        WRITER,
        demands=tuple(Order("turn", (1, 2), "never", wrong=state, bad_end=None, key=0) for state in (1, 2)),
    ),
    "a page breaks off": made(
        call(Pages(1), returns="log", stubborn=True),
        demands=(NoneReturned((("o/a", 0), ("o/b", 0))), NoneReturned((("o/a", 0), "ScanInterrupted"))),
        setup=(Put(0, Const(b"x")), Put(1, Const(b"y"))),
        faults=Faults(scan_failures=1),
    ),
}
