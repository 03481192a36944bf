"""Odd code of users, one row each, all in one file: what is refused, what is judged, and what costs others nothing.

Each row ended once in a false `holds`, a traceback, a hang or lost verdicts of others.
"""

from pathlib import Path
from typing import Final

import pytest

from tests.edge.files import CODE, Ran, verify

ODD: Final = """
import asyncio, enum, itertools, os, random, signal, trio, types, warnings
LOOP = asyncio.new_event_loop()
@types.coroutine
def bare():
    yield
class Yields:
    def __init__(self, what): self.what = what
    def __await__(self): yield self.what
class Text(str): pass
class Mute:
    def __repr__(self): raise LookupError("no words")
    def __reduce_ex__(self, protocol): raise SystemExit(0)
def never(snapshot):
    yield Violation("never", "") if (P, K) in snapshot.store else Reached("")
NEVER = Always(id="never", meaning="", check=never)
def check(snapshot):
    yield Reached("")
def saying(finding):
    return Always(id="any", meaning="", check=lambda _: [finding])
def alone(flow, *args, invariants=(ANY,)):
    return {"clients": [[Call(flow, *args)]], "invariants": list(invariants)}
def beside(flow):
    return {"clients": [[Call(flow)], [Call(touch)]], "invariants": [ANY]}
TOUCH = alone(touch)
"""

COIN: Final = """
C = itertools.cycle([1, True, True])
async def flow(env):
    await env.store.set(P, K, b'1')
    """

REFUSED: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    # What a flow makes and does not run to its end takes no place in the search: that is said, with the line.
    "a forgotten await": (
        """
async def flow(env):
    await env.store.set(P, K, b"1")
    env.store.delete(P, K)  # here
""",
        "alone(flow)",
        ("flow() never awaits", "delete"),
    ),
    "a coroutine that is returned": (
        "\nasync def flow(env):\n    return touch(env)\n",
        "alone(flow)",
        ("flow() returned a coroutine", "return await"),
    ),
    "a generator that is left half-way": (
        """
async def numbers(env):
    try:
        yield 1
    finally:
        await env.store.delete(P, K)
async def flow(env):
    await env.store.set(P, K, b"1")
    async for number in numbers(env):
        break
""",
        "alone(flow)",
        ("numbers half-way", "aclosing"),
    ),
    "a filter for warnings changes nothing, nor does a local that keeps it: then no line dropped it": (
        """
async def flow(env):
    warnings.simplefilter("error")
    kept = touch(env)
    await env.store.set(P, K, b"1")
""",
        "alone(flow)",
        ("flow() never awaits touch: it has not",),
    ),
    "a client that is given up runs no handler": (
        """
async def flow(env):
    try:
        await asyncio.sleep(0)
    except GeneratorExit:
        raise RuntimeError("closed")
""",
        "alone(flow)",
        ("asyncio.sleep",),
    ),
    # A flow that awaits what is no effect would never run what stands behind it.
    **{
        f"a foreign await: {named}": (
            f"\nasync def flow(env):\n    await touch(env)\n    {awaits}  # here\n    await env.store.delete(P, K)\n",
            "alone(flow)",
            (named, "env.store"),
        )
        for awaits, named in (
            ("await asyncio.sleep(0)", "asyncio.sleep"),
            ("await bare()", "bare"),
            ("await trio.lowlevel.cancel_shielded_checkpoint()", "trio.cancel_shielded_checkpoint"),
            ("await asyncio.Future(loop=LOOP)", "Future"),
            ("await asyncio.gather(LOOP.create_future())", "Future"),
            ("await Yields(7)", "which yielded 7"),
        )
    },
    "an awaitable that is no coroutine": (
        """
class flow:
    def __init__(self, env): self.env = env
    def __await__(self): return touch(self.env).__await__()
""",
        "alone(flow)",
        ("flow()", "expected a coroutine", "async def"),
    ),
    "an error in the setup": (
        '\nasync def flow(env):\n    raise KeyError("k")  # here\n',
        "{**TOUCH, 'setup': [Call(flow)]}",
        ("setup", "KeyError"),
    ),
    "a setup that loops": (
        '\nasync def flow(env):\n    while True: await env.store.set(P, K, b"1")\n',
        "{**TOUCH, 'setup': [Call(flow)]}",
        ("flow(), alone, still runs after 10,000 effects", "mine.py:"),
    ),
    "a check that wipes the store": (
        "\ndef wipes(snapshot):\n    snapshot.store.clear()\n    yield Reached('')\n",
        "alone(touch, invariants=[Always(id='wipes', meaning='', check=wipes), NEVER])",
        ("'wipes'", "AttributeError"),
    ),
    "a finding that is an object": ("", "alone(touch, invariants=[saying(Reached(object()))])", ("Reached says <obj",)),
    "a finding without words": ("", "alone(touch, invariants=[saying(Reached(Mute()))])", ("Reached says a Mute",)),
    "a finding that is nearly a text": ("", "alone(touch, invariants=[saying(Reached(Text('x')))])", ("'x' (Text)",)),
    "a finding that is a number": ("", "alone(touch, invariants=[saying(Violation('x', 5))])", ("Violation says 5",)),
    "findings without an end": (
        """
MANY = Always(id="any", meaning="", check=lambda _: itertools.repeat(Reached("x"), 200_000))
""",
        "alone(touch, invariants=[MANY])",
        ("more than 100,000 things",),
    ),
    # What differs from run to run, in effects, results and errors.
    **{
        f"a coin: {number}": (COIN + body, "beside(flow)", ("flow() of client a is not deterministic",))
        for number, body in enumerate(
            (
                "return random.random()\n",
                "return next(C)\n",
                "if next(C) is True: raise kv.Refused()\n",
                "assert next(C) is True\n",
                "await env.store.set(P, K, str(random.random()).encode())\n",
                "if next(C) is True: await env.store.set(P, K, b'2')\n",
            )
        )
    },
}
"""By name: code, the fields of a scenario, and what the one line about it says; and the line that is marked."""

BUSY: Final = """
    definite = True
async def flow(env):
    await env.store.set(P, K, b"1")
    raise Busy("r")
"""

JUDGED: Final[dict[str, tuple[str, str, dict[str, str]]]] = {
    # A scenario keeps what it is given: nothing is used up or changed before it is judged.
    **{
        f"given: {fields}": (
            "\nLIST = [NEVER]\nasync def clears(env):\n    LIST.clear()\n    await touch(env)\n",
            f"dict({fields})",
            {"never": "violated"},
        )
        for fields in (
            "clients=[[Call(touch)]], invariants=(i for i in [NEVER])",
            "clients=(c for c in [[Call(touch)]]), invariants=[NEVER]",
            "clients=[(c for c in [Call(touch)])], invariants=[NEVER]",
            "setup=map(Call, [touch]), clients=[[Call(touch)]], invariants=[NEVER]",
            "clients=[[Call(clears)]], invariants=LIST",
        )
    },
    "an aftermath from an iterator": (
        """
AFTER = Aftermath(id="a", meaning="", calls=iter([Call(touch)]), check=lambda outcomes, _: [Violation("a", "")])
""",
        "{**TOUCH, 'aftermath': iter([AFTER])}",
        {"a": "violated"},
    ),
    "clients that crash with coroutines at hand": (
        """
async def flow(env):
    for step in [touch(env), touch(env), env.store.delete(P, K)]:
        await step
""",
        "{'clients': [[Call(flow)], [Call(flow)]], 'faults': Faults(crashes=2), 'invariants': [ANY]}",
        {"any": "holds"},
    ),
    "half a character": ("", "alone(touch, invariants=[saying(Reached('\\ud800'))])", {"any": "holds"}),
    "what a flow prints": (
        '\nasync def flow(env):\n    print("{}", flush=True)\n    os.write(1, b"raw\\n")\n    await touch(env)\n',
        "alone(flow)",
        {"any": "holds"},
    ),
    "a frozen exception": (
        f"\n@dataclasses.dataclass(frozen=True)\nclass Busy(Exception):\n    name: str{BUSY}",
        "alone(flow)",
        {CODE: "holds"},
    ),
    "an exception with an odd constructor": (
        f"\nclass Busy(Exception):\n    def __init__(self, name, *, seconds=3): super().__init__(name){BUSY}",
        "alone(flow)",
        {CODE: "holds"},
    ),
    **{
        f"an error that {what}": (
            f"""
class Odd(Exception):
    {definite}
async def flow(env):
    async with env.parallel() as group:
        group.start(touch, env)
    raise Odd
""",
            "alone(flow)",
            {CODE: verdict},
        )
        for what, definite, verdict in (
            ("does not know whether it is definite", "definite = property(lambda self: 1 / 0)", "violated"),
            ("is false as a condition", "definite, __len__ = True, lambda self: 0", "holds"),
        )
    },
    "a function that stops an iteration has not returned": (
        "\ndef flow(env):\n    raise StopIteration('not an answer')\n",
        "alone(flow)",
        {CODE: "violated"},
    ),
    "a value of None is the store's own error": (
        "\nasync def flow(env):\n    await env.store.set(P, K, None)\n",
        "alone(flow)",
        {CODE: "holds"},
    ),
    "values that have no words": (
        """
async def flow(env, value, huge):
    await env.store.set(P, K, b"1")
    assert not huge
""",
        "alone(flow, Mute(), 10**5000)",
        {CODE: "violated"},
    ),
    "an aftermath whose calls break": (
        """
async def flow(env):
    raise KeyError("k")
AFTER = Aftermath(id="a", meaning="", calls=[Call(flow), Call(touch)], check=lambda outcomes, _: [Reached("x")])
""",
        "{**TOUCH, 'aftermath': [AFTER]}",
        {CODE: "violated"},
    ),
    "a client that has broken runs nothing more": (
        """
async def breaks(env):
    await env.store.set(P, b"other", b"1")
    raise KeyError("k")
def returned(state, event):
    return state, ((Violation("silent", "it returned"),) if isinstance(event, Returned) else (Reached("invoked"),))
BOTHER = [NEVER, Monitor(id="silent", meaning="", initial=0, advance=returned)]
""",
        "{'clients': [[Call(breaks), Call(touch)]], 'invariants': BOTHER}",
        {"never": "holds", "silent": "holds", CODE: "violated"},
    ),
    "texts of an enumeration are texts": (
        """
class Where(str, enum.Enum):
    HERE = "here"
async def flow(env):
    await env.objects.put(Where.HERE, b"1")
def held(snapshot):
    yield Violation("held", "") if type(next(iter(snapshot.objects), "")) is not str else Reached("")
HELD = Always(id="held", meaning="", check=held, reads=frozenset({Reads.OBJECTS}))
""",
        "alone(flow, invariants=[HELD])",
        {"held": "holds"},
    ),
    "calls without names are all calls": (
        """
def none(snapshot):
    yield Violation("none", "") if snapshot.calls() else Reached("")
""",
        "alone(touch, invariants=[Always(id='none', meaning='', check=none, reads=BOTH)])",
        {"none": "violated"},
    ),
    # Nothing of a flow runs after its client crashed.
    **{
        f"a lock that a crash leaves: {guard}": (
            f"""
class Lock:
    def __init__(self, env): self.env = env
    async def __aenter__(self): await self.env.store.set_if(P, b"lock", b"1", None)
    async def __aexit__(self, *error): await self.env.store.delete(P, b"lock")
async def flow(env):
    {guard}
def unlocked(snapshot):
    if (P, K) in snapshot.store and any(call.status is Status.CRASHED for call in snapshot.calls()):
        locked = (P, b"lock") in snapshot.store
        yield Reached("locked for ever") if locked else Violation("stays-locked", "a crash unlocked it")
STAYS = Eventually(id="stays-locked", meaning="", check=unlocked)
""",
            "{**alone(flow, invariants=[STAYS]), 'faults': Faults(crashes=1)}",
            {"stays-locked": "holds"},
        )
        for guard in (
            """async with Lock(env):
        await env.store.set(P, K, b"1")
        async for entry in env.store.scan(P, batch_size=1):
            await env.store.set(P, K, b"2")""",
            """await env.store.set_if(P, b"lock", b"1", None)
    try:
        await touch(env)
        await env.store.set(P, K, b"2")
    finally:
        await env.store.delete(P, b"lock")""",
            """await env.store.set_if(P, b"lock", b"1", None)
    try:
        await touch(env)
        await env.store.set(P, K, b"2")
    except BaseException:
        await env.store.delete(P, b"lock")
        raise""",
        )
    },
}
"""By name: code, the fields of a scenario, and verdicts."""

ROWS: Final = {**REFUSED, **JUDGED}
HERE: Final = "  # here"
MARKED: Final = [name for name, (code, *_) in ROWS.items() if HERE in code]


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, list[str]]:
    """All rows in one file, each in a function of its own, and a sound scenario at its end; and the file's lines."""
    parts = [ODD]
    for number, (code, fields, _) in enumerate(ROWS.values()):
        body = "\n".join(f"    {line}" for line in code.splitlines())
        parts.append(f"def made_{number}():\n{body}\n    return Scenario(name='s{number}', **{fields})\n")
    listed = ", ".join(f"made_{number}()" for number in range(len(ROWS)))
    parts.append(f"SCENARIOS = [{listed}, Scenario(name='sound', **TOUCH)]\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("edge"))
        return verify("".join(parts)), Path("mine.py").read_text().splitlines()


@pytest.fixture
def ran(verified: tuple[Ran, list[str]]) -> Ran:
    return verified[0]


def number_of(name: str) -> int:
    return list(ROWS).index(name)


def test_every_other_scenario_of_the_file_has_its_verdict(ran: Ran) -> None:
    assert ran.code == 1
    assert ran.verdict("any", "sound") == "holds"
    assert len(ran.complaints) == len(REFUSED)


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_verdict_can_be_given_of_is_refused_in_one_line(
    ran: Ran, verified: tuple[Ran, list[str]], name: str
) -> None:
    number = number_of(name)
    [line] = [line for line in ran.complaints if f" s{number}: " in line]
    for part in REFUSED[name][2]:
        assert part in line, line
    if name in MARKED:
        lines = [at for at, text in enumerate(verified[1], 1) if text.endswith(HERE)]
        assert f"mine.py:{lines[MARKED.index(name)]}" in line
    found = {str(row["verdict"]) for (scenario, _), row in ran.verdicts.items() if scenario == f"s{number}"}
    assert found == {"inconclusive"}


@pytest.mark.parametrize("name", JUDGED)
def test_what_can_be_judged_is_judged(ran: Ran, name: str) -> None:
    for invariant, verdict in JUDGED[name][2].items():
        assert ran.verdict(invariant, f"s{number_of(name)}") == verdict


def test_what_flows_print_goes_to_stderr(ran: Ran) -> None:
    assert "{}" in ran.stderr


def test_a_value_without_words_is_told_by_its_type(ran: Ran) -> None:
    found = ran.verdicts[f"s{number_of('values that have no words')}", CODE]
    assert "a Mute" in str(found["evidence"])
