"""The one flow that runs all programs."""

from collections.abc import Hashable

import attrs

from lakeproof.impl.effects import Env, ObjectEffects
from lakeproof.impl.operations import KVOperations
from lakeproof.model import kv, objects
from tests.differential import programs as ast
from tests.differential.typed import typed


class Answered(Exception):
    """A flow's own error that says: this did not happen."""

    definite = True


class Unclear(Exception):
    """A flow's own error that says: this may have happened."""

    definite = False


STORE_ERRORS = (kv.KVError, objects.ObjectError)
OnObjects = ast.Put | ast.Fetch | ast.Head | ast.Copy | ast.Mark | ast.Unlink | ast.Pages


class _Memory:
    """What a running program knows."""

    def __init__(self, program: ast.Program, given: Hashable) -> None:
        self.program = program
        self.given = given
        self.last: Hashable = None
        self.held: Hashable = None
        self.log: list[Hashable] = []
        self.read: dict[int, bytes | None] = {}
        self.heads: dict[int, objects.Head] = {}
        self.failed = False

    def see(self, value: Hashable) -> None:
        self.last = value
        if value is not None:
            self.log.append(value)

    def value(self, source: ast.Source) -> Hashable:
        match source:
            case ast.Const(value):
                return value
            case "last":
                return self.last
            case "held":
                return self.held
            case "given":
                return self.given
            case "log":
                return tuple(self.log)
            case "count":
                return len(self.log)
            case "found":
                return self.last is not None
            case "both":
                return (self.held, self.last)

    def predicate(self, key: int, name: str | bytes) -> kv.Predicate:
        """What a key must hold."""
        if isinstance(name, bytes):
            return name
        return {"exists": kv.EXISTS, "absent": None, "read": self.read.get(key)}[name]

    def bytes(self, source: ast.Source) -> bytes:
        return as_written(self.value(source))

    def text(self, source: ast.Source) -> str:
        return self.bytes(source).decode("latin-1")


def as_written(value: Hashable) -> bytes:
    """What a program writes for a value: distinct bytes for distinct types and bits."""
    return value if type(value) is bytes else repr(typed(value)).encode()


async def run_program(env: Env, program: ast.Program, given: Hashable = None) -> Hashable:
    """The interpreter: one flow for all programs."""
    memory = _Memory(program, given)
    await _run(env, program.instructions, memory)
    return memory.value(program.returns)


async def run_option(env: Env, given: Hashable = None, *, program: ast.Program) -> Hashable:
    """The same; the program is an option, so that it is no part of what is visible of the call."""
    return await run_program(env, program, given)


async def _run(env: Env, instructions: tuple[ast.Instruction, ...], memory: _Memory) -> None:
    for instruction in instructions:
        match instruction:
            case ast.When(condition, then, otherwise):
                await _run(env, then if _holds(condition, memory) else otherwise, memory)
            case ast.Retry(times, body):
                for _ in range(times):
                    memory.failed = False
                    await _run(env, body, memory)
                    if not memory.failed:
                        break
            case ast.Finally(key, body):
                try:
                    await _run(env, body, memory)
                finally:
                    await env.store.delete(*ast.KEYS[key])
            case ast.Keep(found, otherwise):
                memory.held = found if memory.last is not None else otherwise
            case ast.KeepLast():
                memory.held = memory.last
            case ast.Mint():
                memory.see(env.ids.unique("id"))
            case ast.Raise(kind, source):
                _raise(kind, memory.value(source))
            case ast.Together():
                await _group(env, instruction, memory)
            case _:
                await _perform(env, instruction, memory)


async def _group(env: Env, group: ast.Together, memory: _Memory) -> None:
    memory.failed = False
    try:
        await _together(env, group, memory)
    except ExceptionGroup as raised:
        error: BaseException = raised
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if not memory.program.stubborn or not isinstance(error, STORE_ERRORS):
            raise type(error)(*error.args) from None
        memory.see(type(error).__name__)
        memory.failed = True


async def _together(env: Env, group: ast.Together, memory: _Memory) -> None:
    first, *others = group.branches
    late = others.pop() if group.late and others else None
    async with env.parallel(cancel=group.cancel) as tasks:

        async def leading() -> Hashable:
            if late is not None:
                tasks.start(_branch, env, late, memory)
            return await _branch(env, first, memory)

        started = [tasks.start(leading), *(tasks.start(_branch, env, one, memory) for one in others)]
        await _run(env, group.body, memory)
    for task in started:
        memory.see(task.value)


async def _branch(env: Env, branch: ast.Branch, memory: _Memory) -> Hashable:
    own = _Memory(attrs.evolve(memory.program, stubborn=False), memory.given) if branch.apart else memory
    try:
        await _run(env, branch.body, own)
    finally:
        if branch.guard is not None:
            await env.store.set(*ast.KEYS[branch.guard], b"g")
    return own.last


def _holds(condition: str | ast.Const, memory: _Memory) -> bool:
    if isinstance(condition, ast.Const):
        return typed(memory.held) == typed(condition.value)
    return {
        "failed": memory.failed,
        "found": memory.last is not None,
        "nothing": memory.last is None,
    }[condition]


def _raise(kind: str, value: Hashable) -> None:
    match kind:
        case "definite":
            raise kv.Refused(value)
        case "indefinite":
            raise kv.OutcomeUnknown(value)
        case "own definite":
            raise Answered(value)
        case "own indefinite":
            raise Unclear(value)
        case "value":
            raise ValueError(value)
    raise AssertionError(value)


async def _perform(env: Env, instruction: ast.Instruction, memory: _Memory) -> None:
    memory.last, memory.failed = None, False
    try:
        if isinstance(instruction, OnObjects):
            await _on_objects(env.objects, instruction, memory)
        elif isinstance(instruction, ast.Clock):
            memory.see(await env.clock.now() - ast.START)
        elif isinstance(instruction, ast.Own):
            await _on_keys(env.local, instruction.instruction, memory)
        else:
            await _on_keys(env.store, instruction, memory)
    except STORE_ERRORS as error:
        memory.see(type(error).__name__)
        memory.failed = True
        if not memory.program.stubborn:
            # A store's message is the store's affair: what counts is the kind of error.
            raise type(error) from None


async def _on_keys(store: KVOperations, instruction: ast.Instruction, memory: _Memory) -> None:
    match instruction:
        case ast.Get(key):
            memory.read[key] = None
            try:
                found = await store.get(*ast.KEYS[key])
            except kv.NotFound:
                return
            memory.read[key] = found.predicate
            memory.see(found.value)
        case ast.Set(key, source):
            await store.set(*ast.KEYS[key], memory.bytes(source))
        case ast.SetIf(key, source, predicate):
            await store.set_if(*ast.KEYS[key], memory.bytes(source), memory.predicate(key, predicate))
        case ast.Transact(key, source, predicate, other, there):
            await store.transact(
                checks=[
                    (*ast.KEYS[key], memory.predicate(key, predicate)),
                    (*ast.KEYS[other], kv.EXISTS if there else None),
                ],
                writes=[(*ast.KEYS[key], memory.bytes(source)), (*ast.KEYS[other], None)],
            )
        case ast.Delete(key, None):
            await store.delete(*ast.KEYS[key])
        case ast.Delete(key, bytes(predicate)):
            await store.delete_if(*ast.KEYS[key], predicate)
        case ast.Scan(partition, batch, enough, start):
            async for entry in store.scan(partition, start, batch):
                memory.see(entry.value)
                enough -= 1
                if not enough:
                    break
        case ast.Missing(what):
            await store.get(*((b"", b"a") if what == "partition" else (b"p", b"")))
        case _:
            raise AssertionError(f"{instruction} is no operation on keys")


async def _on_objects(store: ObjectEffects, instruction: OnObjects, memory: _Memory) -> None:
    match instruction:
        case ast.Pages(size, prefix):
            async for head in store.list(prefix, page_size=size):
                memory.see((head.address, head.last_modified - ast.START))
            return
        case ast.Put() | ast.Copy():
            await _write_object(store, instruction, memory)
            return
    address = ast.ADDRESSES[instruction.address]
    match instruction:
        case ast.Fetch():
            memory.see(await store.get(address))
        case ast.Head(at, field):
            memory.heads[at] = found = await store.head(address)
            memory.see(found.last_modified - ast.START if field == "last_modified" else getattr(found, field))
        case ast.Mark(at, source, condition):
            seen = memory.heads.get(at)
            await store.set_metadata(
                address,
                (("by", memory.text(source)),),
                if_metageneration=(seen.metageneration if seen else 1) if condition == "metageneration" else None,
                if_version=(seen.version if seen else "none") if condition == "version" else None,
            )
        case ast.Unlink(at, match):
            known = memory.heads[at].etag if at in memory.heads else "none"
            await store.delete(address, if_match=known if match else None)


async def _write_object(store: ObjectEffects, instruction: ast.Put | ast.Copy, memory: _Memory) -> None:
    at = instruction.address
    soon = None if instruction.soon is None else ast.START + instruction.soon
    known = memory.heads[at].etag if at in memory.heads else "none"
    if isinstance(instruction, ast.Copy):
        metadata = (("copied", "yes"),) if instruction.metadata else None
        seen = memory.heads[1 - at].etag if 1 - at in memory.heads else "none"
        await store.copy(
            ast.ADDRESSES[at],
            ast.ADDRESSES[1 - at],
            metadata,
            if_match=known if instruction.match else None,
            if_absent=instruction.destination == "absent",
            if_destination_match=seen if instruction.destination == "match" else None,
            not_after=soon,
        )
        return
    absent, match = instruction.condition == "absent", known if instruction.condition == "match" else None
    content = memory.bytes(instruction.source)
    await store.put(ast.ADDRESSES[at], content, if_absent=absent, if_match=match, not_after=soon)
