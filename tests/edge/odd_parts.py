"""The parts that generated scenario files are made of: values, statements, checks, each as text."""

from typing import Final

ODD: Final = """
import abc, asyncio, builtins, collections, contextlib, contextvars, datetime, decimal, enum, fractions, functools, gc
import itertools, math, os, random, re, sys, threading, time, types, typing, uuid, warnings, weakref
from contextlib import asynccontextmanager, suppress

RAN = []
COUNT = 0
class Loud(BaseException): pass
class Mute(Exception):
    def __str__(self): raise RuntimeError("no words")
    __repr__ = __str__
class Ctor(Exception):
    def __init__(self, one, *, other): super().__init__()
class Answer(Exception):
    definite = True
class Unsure(Exception):
    definite = False
class Neither(Exception):
    definite = "perhaps"
@dataclasses.dataclass(frozen=True)
class FrozenAnswer(Exception):
    value: object = 1
    definite = True
class Property(Exception):
    @property
    def definite(self): raise LookupError("whether")
class Equal:
    def __eq__(self, other): return True
    def __hash__(self): return 1
class NoHash:
    def __hash__(self): raise ArithmeticError("hash")
class NoRepr:
    def __repr__(self): raise ArithmeticError("repr")
class OddRepr:
    def __repr__(self): return "\\x1b[2J\\n\\ud800" + "x" * 3000
class NoBool:
    def __bool__(self): raise ArithmeticError("bool")
class Coin:
    def __hash__(self): return random.randrange(9)
class NoReduce:
    __slots__ = ()
    def __reduce_ex__(self, protocol): raise SystemExit(0)
class Text(str): pass
class Color(str, enum.Enum):
    RED = "red"
class Named(typing.NamedTuple):
    a: object = float("nan")
class Lock:
    def __init__(self, env): self.env = env
    async def __aenter__(self):
        with suppress(kv.KVError): await self.env.store.set_if(P, b"lock", b"1", None)
    async def __aexit__(self, *error):
        await self.env.store.delete(P, b"lock")
        return True
class Sync:
    def __enter__(self): RAN.append(1)
    def __exit__(self, *error): raise LookupError("exit")
@asynccontextmanager
async def managed(env):
    await env.store.set(P, b"m", b"1")
    try: yield 5
    finally: await env.store.delete(P, b"m")
async def numbers(env, n=2):
    try:
        for number in range(n):
            await env.store.set(P, b"n", b"%d" % number)
            yield number
    finally:
        await env.store.delete(P, b"n")
async def deep(env, n):
    if n: return await deep(env, n - 1)
    await env.store.set(P, b"deep", b"1")
@types.coroutine
def bare():
    yield
class Awaits:
    def __init__(self, what): self.what = what
    def __await__(self): return (yield self.what)
def recurse(n): return recurse(n + 1)
SELF = []; SELF.append(SELF)
RING = (SELF,)
def nest(n):
    value = ()
    for _ in range(n): value = (value,)
    return value
"""

VALUES: Final = r"""
None True False 0 1 -0.0 1.0 float('nan') float('inf') 10**30 10**5000 -(10**5000) 1j complex('nan') b'' b'\0' 'x'
'\ud800' '\x1b[31m' b'x'*100000 'x'*100000 () (1,(True,)) nest(50) nest(500) nest(90000) Ellipsis NotImplemented int
type touch lambda:0 len os print Equal() NoRepr() OddRepr() NoBool() Coin() NoReduce()
Text('t') Color.RED Named() Named(1) frozenset({1,True,'a'}) frozenset({Equal()}) range(3) object()
ValueError(1) Mute() Answer(1) KeyError datetime.date(2020,1,1) decimal.Decimal('NaN') fractions.Fraction(1,3)
re.compile('x') uuid.UUID(int=1) functools.partial(touch,1) touch.__get__(1) types.MappingProxyType
weakref.ref(Equal) Reads.STORE Status.OK kv.NotFound() kv.EXISTS kv.Get(P,K) contextvars.ContextVar('c') iter(())
numbers(None) sys.maxsize memoryview(b'ab') Violation('a','b') ANY
""".split()  # noqa: SIM905  # a line an item would be pages

UNHASHABLE: Final = r"""
RING [] {} set() [1,[2]] SELF bytearray(b'x') slice(1,2) NoHash() decimal.Decimal('sNaN') RAN
""".split()  # noqa: SIM905  # a line an item would be pages

RAISES: Final = r"""
ValueError('no') KeyError(b'k') Loud('loud') SystemExit(0) SystemExit('text') KeyboardInterrupt() GeneratorExit()
StopIteration(5) StopAsyncIteration() asyncio.CancelledError() Mute() Ctor(1,other=2) Answer() Answer([])
Answer(NoRepr()) Answer(SELF) Unsure(float('nan')) Neither() FrozenAnswer() FrozenAnswer(RAN) Property()
ExceptionGroup('g',[ValueError(1)]) BaseExceptionGroup('g',[Loud()]) kv.NotFound() kv.Refused() kv.OutcomeUnknown()
MemoryError() RecursionError() AssertionError() OSError(28,'full') BrokenPipeError() EOFError() UnicodeError()
ImportError() NotImplementedError() SyntaxError() Warning() NotADirectoryError('x') 5 None ValueError Loud Ctor
""".split()  # noqa: SIM905  # a line an item would be pages

STATEMENTS: Final = (
    'await env.store.set(P, K, b"1")',
    'await env.store.set(P, K, b"2")',
    "with suppress(kv.NotFound): await env.store.get(P, K)",
    'await env.store.set_if(P, K, b"3", None)',
    "await env.store.delete(P, K)",
    "found = [entry async for entry in env.store.scan(P, batch_size=1)]",
    "await env.store.scan(P).__anext__()",
    'await env.store.set(P, env.ids.unique("x").encode(), b"1")',
    "now = await env.clock.now()",
    'await env.objects.put("a", b"1", (("k", "v"),))',
    'with suppress(Exception): await env.objects.get("a")',
    "found = [head async for head in env.objects.list()]",
    "await deep(env, 400)",
    "async for number in numbers(env): break",
    "it = numbers(env); await it.__anext__()",
    "async for number in numbers(env): await env.store.set(P, K, b'5')",
    "await touch(env)",
    "await asyncio.wait_for(touch(env), 1)",
    "await asyncio.sleep(0)",
    "asyncio.run(touch(env))",
    "await bare()",
    "await Awaits(5)",
    "await Awaits(kv.Get(P, K))",
    "late = env.store.set(P, K, b'1'); await env.store.delete(P, K); await late",
    "recurse(0)",
    "RAN.append(1)",
    "global COUNT; COUNT += 1; await env.store.set(P, K, str(COUNT).encode())",
    "await env.store.set(P, K, str(random.random()).encode())",
    "await env.store.set(P, b'', b'')",
    'print("to stdout"); print("{}", flush=True); os.write(1, b"raw\\n")',
    "threading.Thread(target=time.sleep, args=(30,), daemon=True).start()",
    "builtins.print = lambda *args, **kwargs: None",
    "random.seed(1)",
    "sys.stdout = None",
    "os.environ.clear()",
    'warnings.simplefilter("error")',
    "gc.disable()",
    "sys.setrecursionlimit(900)",
    'os.chdir("/")',
    "collections.abc.Iterable = int",
    "del env",
    "env.store = None",
    "env.__class__ = int",
    "SCENARIOS.clear()",
    "SCENARIOS[0].invariants[0].check = None",
    "exec('COUNT = 7', globals())",
    "assert not RAN",
    "sys._getframe().f_back.f_locals.clear()",
    "signal = __import__('signal'); signal.setitimer(signal.ITIMER_REAL, 0)",
)

BLOCKS: Final = (
    "try:\n{0}\nexcept BaseException:\n{1}",
    "try:\n{0}\nexcept Exception as error:\n    raise ValueError(1) from error",
    "try:\n{0}\nexcept* ValueError:\n{1}",
    "try:\n{0}\nfinally:\n{1}",
    "try:\n{0}\nfinally:\n    return 5",
    "try:\n{0}\nexcept GeneratorExit:\n    raise RuntimeError('closed')",
    "async with Lock(env):\n{0}",
    "async with managed(env), Lock(env) as lock:\n{0}",
    "with Sync():\n{0}",
    "with suppress(BaseException):\n{0}",
    "async for number in numbers(env):\n{0}",
    "for number in {{'a', 'b', 'c'}}:\n    await env.store.set(P, number.encode(), b'1')",
    "async with contextlib.AsyncExitStack() as stack:\n    await stack.enter_async_context(managed(env))\n{0}",
    "def inner():\n    return (yield from touch(env).__await__())\nawait types.coroutine(inner)()",
    "match RAN:\n    case []:\n{0i}\n    case _:\n{1i}",
)

RARE: Final = (
    "while True: pass",
    "while True: await env.store.set(P, K, b'1')",
    "while True:\n    try: await env.store.get(P, K)\n    except kv.NotFound: pass",
    "time.sleep(60)",
    "sys.exit(0)",
    "os._exit(0)",
    "os.execv('/bin/true', ['true'])",
    "os.kill(os.getpid(), 15)",
    "try:\n    sys.exit(0)\nfinally:\n    await env.store.set(P, K, b'1')",
)

CHECKS: Final = (
    "yield Reached('x')",
    "yield Violation('x', 'it')\nyield Reached('x')",
    "if (P, K) in snapshot.store: yield Violation('other', 'k')\nelse: yield Reached('')",
    "if snapshot.calls(): yield Violation('c', str(len(snapshot.calls())))\nyield Reached('')",
    "yield Reached(str(snapshot.now))",
    "return ()",
    "snapshot.store.clear()\nyield Reached('x')",
    "snapshot._store = {}\nyield Reached('x')",
    "RAN.append(1)\nyield Violation('x', '') if len(RAN) % 5 == 3 else Reached('')",
    "yield Violation('x', '') if random.random() < 0.3 else Reached('')",
    "yield Reached('x')\nraise {raises}",
    "raise {raises}",
    "return {value}",
    "return [{value}]",
    "yield {value}",
    "yield Reached({value})",
    "yield Violation({value}, 'x')",
    "print('a check')\nyield Reached('')",
    "sys.exit(0)",
    "yield Reached('x' * 100_000)",
    "yield Violation('x', '\\ud800\\x1b[2J\\n')",
    "async def late(): pass\nreturn late()",
)

RARE_CHECKS: Final = ("while True: pass", "os._exit(0)", "time.sleep(60)")

USES: Final = (
    *("await env.store.set(P, K, {})", "await env.store.set_if(P, K, b'1', {})", "await {}", "return {}"),
    *("await env.objects.put('a', b'1', (('k', {}),))", "env.ids.unique({})", "async for _ in {}: pass"),
)
"""Of a value."""

FAULTS: Final = (
    *("", "crashes=1", "lost_answers=1", "refusals=1", "lost_answers=1, duplicates=1", "scan_failures=1"),
    *("false_predicates=1", "clock_jumps=(-5, 0)", "clock_skew=(1,)"),
)
