"""Small programs as values, and the one flow that interprets them all."""

from collections.abc import Hashable
from typing import Final, Literal

import attrs

from lakeproof.impl.effects import Env
from lakeproof.model import kv, objects

KEYS: Final = ((b"p", b"a"), (b"p", b"b"), (b"q", b"a"))
ADDRESSES: Final = ("o/a", "o/b")
DIGITS: Final = 3
START: Final = 1_700_000_000_000_000  # as `Scenario.start_time`

Operand = int | Literal["last", "next", "held"]
"""What a program writes: a digit, what it has just seen, that plus one, or what it remembers."""


@attrs.frozen
class Get:
    key: int


@attrs.frozen
class Set:
    key: int
    value: Operand


@attrs.frozen
class SetIf:
    """Against what this program has last read under the key (None: nothing), or None, or EXISTS."""

    key: int
    value: Operand
    predicate: Literal["read", "absent", "exists"]
    attempts: int = 1


@attrs.frozen
class Delete:
    key: int
    conditional: bool = False


@attrs.frozen
class Scan:
    partition: bytes
    batch: int


@attrs.frozen
class Put:
    """``absent``: only where nothing is; ``soon``: not after the start of the scenario."""

    address: int
    value: Operand
    condition: Literal["none", "absent", "soon"] = "none"


@attrs.frozen
class Stamp:
    """Write metadata, if nobody has since this program looked (twice: by two kinds of condition)."""

    address: int
    value: Operand


@attrs.frozen
class Fetch:
    address: int
    head: bool = False


@attrs.frozen
class Copy:
    """From one address to the other."""

    source: int
    soon: bool = False


@attrs.frozen
class Unlink:
    address: int


@attrs.frozen
class Pages:
    size: int


@attrs.frozen
class Fresh:
    """Mint an identifier; it counts as seen."""


@attrs.frozen
class Clock:
    """Read the clock; how far it is from the first reading of this program counts as seen."""


@attrs.frozen
class Hold:
    """Remember what was seen last; or, ``forget``, remember nothing any more."""

    forget: bool = False


@attrs.frozen
class Unless:
    """Leave out the next instruction if the last one failed (or, ``found``, if it saw anything)."""

    found: bool


@attrs.frozen
class Replay:
    """Write all that was ever seen, one value after the other: the memory sits in the iterator of a ``for`` loop."""

    key: int


@attrs.frozen
class Branch:
    """What a task of a group does. ``apart``: with a memory of its own; ``guard``: a key that it sets at last, whatever
    happens, if it may."""

    instructions: tuple["Instruction", ...]
    apart: bool = False
    guard: int | None = None


@attrs.frozen
class Together:
    """A group: branches, and what the main task does meanwhile. ``cancel``: as of ``env.parallel``; ``late``: the
    first branch starts the last one."""

    branches: tuple[Branch, ...]
    body: tuple["Instruction", ...] = ()
    cancel: bool = True
    late: bool = False


Instruction = (
    Get
    | Set
    | SetIf
    | Delete
    | Scan
    | Put
    | Stamp
    | Fetch
    | Copy
    | Unlink
    | Pages
    | Fresh
    | Clock
    | Hold
    | Unless
    | Replay
    | Together
)


@attrs.frozen
class Program:
    """``stubborn`` programs take an error as an answer and go on; the others end with it."""

    instructions: tuple[Instruction, ...]
    returns: Literal["nothing", "last", "held", "all"] = "nothing"
    stubborn: bool = False


class _Memory:
    """What a running program knows."""

    def __init__(self) -> None:
        self.last: bytes | None = None
        self.held: bytes | None = None
        self.log: list[bytes] = []
        self.read: dict[int, bytes | None] = {}
        self.began: int | None = None
        self.failed = False

    def see(self, value: bytes | None) -> None:
        self.last, self.failed = value, False
        if value is not None:
            self.log.append(value)

    def value(self, operand: Operand) -> bytes:
        if operand == "last":
            return self.last or b"-"
        if operand == "held":
            return self.held or b"-"
        if operand == "next":
            return digit((self.last[0] + 1) % DIGITS) if self.last else digit(0)
        return digit(operand)


def digit(number: int) -> bytes:
    return b"%d" % number


async def run_program(env: Env, program: Program) -> Hashable:
    """The interpreter: one flow for all programs."""
    memory = _Memory()
    try:
        await _run(env, program.instructions, memory, program.stubborn)
    except ExceptionGroup as group:
        raise _first(group) from None
    everything = tuple(memory.log)
    return {"nothing": None, "last": memory.last, "held": memory.held, "all": everything}[program.returns]


def _first(error: BaseException) -> BaseException:
    """The first error of a group, anew."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error)(*error.args)


async def _run(env: Env, instructions: tuple[Instruction, ...], memory: _Memory, stubborn: bool) -> None:
    skip = False
    for instruction in instructions:
        if skip:
            skip = False
        elif isinstance(instruction, Unless):
            skip = memory.last is not None if instruction.found else memory.failed
        else:
            try:
                if isinstance(instruction, Together):
                    await _together(env, instruction, memory, stubborn)
                else:
                    await _perform(env, instruction, memory)
            except (kv.KVError, objects.ObjectError, ExceptionGroup) as error:
                if not stubborn:
                    raise
                memory.see(type(_first(error)).__name__[:1].encode())
                memory.failed = True


async def _together(env: Env, group: Together, memory: _Memory, stubborn: bool) -> None:
    first, *others = group.branches
    late = others.pop() if group.late and others else None
    async with env.parallel(cancel=group.cancel) as tasks:

        async def leading() -> bytes | None:
            if late is not None:
                tasks.start(_branch, env, late, memory, stubborn)
            return await _branch(env, first, memory, stubborn)

        started = [tasks.start(leading), *(tasks.start(_branch, env, one, memory, stubborn) for one in others)]
        await _run(env, group.body, memory, stubborn)
    for task in started:
        memory.see(task.value)


async def _branch(env: Env, branch: Branch, memory: _Memory, stubborn: bool) -> bytes | None:
    own = _Memory() if branch.apart else memory
    try:
        await _run(env, branch.instructions, own, stubborn and not branch.apart)
    finally:
        if branch.guard is not None:
            await env.store.set(*KEYS[branch.guard], b"g")
    return own.last


async def _perform(env: Env, instruction: Instruction, memory: _Memory) -> None:
    match instruction:
        case Get(key):
            await _read(env, key, memory)
        case Set(key, value):
            await env.store.set(*KEYS[key], memory.value(value))
        case SetIf():
            await _set_if(env, instruction, memory)
        case Delete(key, conditional):
            known = memory.read.get(key)
            if conditional and known is not None:
                await env.store.delete_if(*KEYS[key], known)
            else:
                await env.store.delete(*KEYS[key])
        case Scan(partition, batch):
            async for entry in env.store.scan(partition, batch_size=batch):
                memory.see(entry.value)
        case Replay(key):
            for seen in tuple(memory.log):
                await env.store.set(*KEYS[key], seen)
        case Fresh():
            memory.see(env.ids.unique("id").encode())
        case Clock():
            now = await env.clock.now()
            memory.began = now if memory.began is None else memory.began
            memory.see(b"%d" % (now - memory.began))
        case Hold(forget):
            memory.held = None if forget else memory.last
        case Put() | Fetch() | Stamp() | Copy() | Unlink() | Pages():
            await _perform_object(env, instruction, memory)
        case Unless() | Together():
            raise AssertionError("a jump is no effect, and a group is several")


async def _read(env: Env, key: int, memory: _Memory) -> None:
    try:
        found = await env.store.get(*KEYS[key])
    except kv.NotFound:
        memory.read[key] = None
        memory.see(None)
        memory.failed = True
    else:
        memory.read[key] = found.predicate
        memory.see(found.value)


async def _set_if(env: Env, instruction: SetIf, memory: _Memory) -> None:
    known: dict[str, kv.Predicate] = {"exists": kv.EXISTS, "absent": None}
    for attempt in range(1, instruction.attempts + 1):
        predicate = known.get(instruction.predicate, memory.read.get(instruction.key))
        try:
            await env.store.set_if(*KEYS[instruction.key], memory.value(instruction.value), predicate)
        except kv.PredicateFailed:
            if attempt == instruction.attempts:
                raise
            await _read(env, instruction.key, memory)
        else:
            return


async def _perform_object(env: Env, instruction: Put | Stamp | Fetch | Copy | Unlink | Pages, memory: _Memory) -> None:
    match instruction:
        case Put(address, value, condition):
            await env.objects.put(
                ADDRESSES[address],
                memory.value(value),
                if_absent=condition == "absent",
                not_after=START if condition == "soon" else None,
            )
        case Fetch(address, head):
            if head:
                found = await env.objects.head(ADDRESSES[address])
                memory.see(b"%d" % (found.metageneration + len(found.metadata) + found.last_modified % DIGITS))
            else:
                memory.see(await env.objects.get(ADDRESSES[address]))
        case Stamp(address, value):
            seen = await env.objects.head(ADDRESSES[address])
            stamp = (("by", memory.value(value).decode()),)
            await env.objects.set_metadata(ADDRESSES[address], stamp, if_metageneration=seen.metageneration)
            await env.objects.set_metadata(ADDRESSES[address], (), if_version=seen.version)
        case Copy(source, soon):
            at = ADDRESSES[source]
            await env.objects.copy(at, ADDRESSES[1 - source], not_after=START if soon else None)
        case Unlink(address):
            await env.objects.delete(ADDRESSES[address])
        case Pages(size):
            async for listed in env.objects.list("o/", page_size=size):
                memory.see(listed.address[-1:].encode())
