"""Programs that speak nonsense: unknown outcomes and a clear message, never a hang, a traceback or a false alarm."""

import sys
from pathlib import Path

import pytest
import trio

from lakeproof.model import kv
from lakeproof.targets.child import child_store
from tests.commands import ended, lakeproof
from tests.targets.nonsense_store import ALSO, KINDS, SAYS, dsn

pytestmark = pytest.mark.usefixtures("in_tmp_path")

ENOUGH = ("cut", "twice", "surrogate", "much-on-stderr")
"""For every run; the others are deep."""


def stressed(kind: str) -> None:
    result = lakeproof("stress", dsn(kind, Path("data")), "--seconds", "0.7", "--clients", "4", "--timeout", "2.5")
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
    assert ended([int(Path("pid").read_text())])
