"""Programs that speak nonsense: unknown outcomes and a clear message, never a hang, a traceback or a false alarm."""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.model import kv
from lakeproof.targets.child import child_store
from tests.commands import lakeproof
from tests.targets.nonsense_store import ALSO, KINDS, SAYS, dsn

pytestmark = pytest.mark.usefixtures("in_tmp_path")

ENOUGH = ("cut", "twice", "surrogate", "much-on-stderr")
"""For every run; the others are deep."""
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "500"))


def stressed(kind: str) -> None:
    began = time.monotonic()
    result = lakeproof("stress", dsn(kind, Path("data")), "--seconds", "0.7", "--clients", "4", "--timeout", "2.5")
    assert time.monotonic() - began < 60
    assert result.exit_code in (0, 3), result.output
    assert SAYS.get(kind, "") in result.stdout
    assert result.stdout.isprintable() or all(line.isprintable() for line in result.stdout.split("\n"))
    assert max(map(len, result.stdout.split("\n"))) < 1_000


@pytest.mark.parametrize("kind", ENOUGH)
def test_a_store_that_speaks_nonsense_now_and_then_is_not_blamed_for_what_it_did(kind: str) -> None:
    stressed(kind)


@pytest.mark.deep
@pytest.mark.parametrize("kind", sorted({*KINDS, *ALSO} - {*ENOUGH}))
def test_any_kind_of_nonsense_now_and_then(kind: str) -> None:
    stressed(kind)


@pytest.mark.parametrize(
    "program",
    [
        "import time; time.sleep(60)",
        pytest.param("print('Welcome')", marks=pytest.mark.deep),
        pytest.param("import os; os.abort()", marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize(
    "command", [["stress", "--seconds", "1"], ["stress", "--flows", "--seconds", "1"], ["conform"]]
)
def test_what_never_answers_is_given_up(program: str, command: list[str]) -> None:
    Path("store.py").write_text(program)
    began = time.monotonic()
    result = lakeproof(*command[:1], f"exec:{sys.executable} store.py", *command[1:], "--timeout", "0.03")
    assert result.exit_code == 2, result.output
    assert time.monotonic() - began < 30


def test_what_a_shell_has_started_ends_with_it() -> None:
    program = (
        "import os, sys, time; open('pid', 'w').write(str(os.getpid())); print('Welcome', flush=True); time.sleep(60)"
    )
    Path("store.py").write_text(program)

    async def main() -> None:
        async with child_store(["sh", "-c", f"{sys.executable} store.py; true"]) as store:
            with pytest.raises(kv.OutcomeUnknown, match="nonsense: b'Welcome' is no JSON"):
                await store.set(b"p", b"k", b"v")

    trio.run(main)
    pid = Path("pid").read_text()
    assert waited(lambda: _ended(pid))


def waited(done: Callable[[], bool]) -> bool:
    """Look again and again, for ten seconds."""
    until = time.monotonic() + 10
    while not done() and time.monotonic() < until:
        os.sched_yield()
    return done()


def _ended(pid: str) -> bool:
    """Gone, or waiting to be noticed by whoever takes care of orphans."""
    try:
        return Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


class TestAnyBytes:
    """Whatever a program prints: an answer, an error of the contract, or an unknown outcome, in one line."""

    PRINTS = "import sys; sys.stdin.readline(); sys.stdout.buffer.write(bytes.fromhex(sys.argv[1])); sys.stdout.flush()"
    PIECES = st.sampled_from(
        [b'{"id": 1', b'"ok": ', b'"error": ', b'{"kind": "unknown"}', b"{}", b"}", b", ", b"\n", b"1", b"[", b"]",
         b'"', b'{"value": "", "predicate": 1}', b'{"entries": []}', b"\xff", b"\0", b'{"id": 1, "ok": {}}\n',
         b"1e999", b"null"]
    )  # fmt: skip

    @classmethod
    def law(cls, printed: bytes) -> None:
        async def main() -> None:
            command = [sys.executable, "-ISc", cls.PRINTS, printed.hex()]
            with trio.fail_after(20):
                async with child_store(command, 5) as store:
                    for op in (kv.Get(b"p", b"k"), kv.ScanBatch(b"p", b"", 5)):
                        try:
                            await store.perform(op)
                        except kv.KVError as error:
                            said.append(str(error))

        said: list[str] = []
        trio.run(main)
        assert all(words.isprintable() for words in said)

    @settings(max_examples=8)
    @given(st.lists(PIECES, max_size=8).map(b"".join) | st.binary(max_size=30))
    def test_a_few(self, printed: bytes) -> None:
        self.law(printed)

    @pytest.mark.deep
    @settings(max_examples=EXAMPLES)
    @given(st.lists(PIECES, max_size=12).map(b"".join) | st.binary(max_size=100))
    def test_many(self, printed: bytes) -> None:
        self.law(printed)
