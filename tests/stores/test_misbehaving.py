"""Programs that misbehave at random: a verdict or one line, never a traceback, a hang or exit code 0."""

import math
import re
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import trio

from lakeproof.model import kv
from lakeproof.stores import child
from lakeproof.stores.child import child_store
from tests.commands import complaint, ended, lakeproof
from tests.stores import misbehaving
from tests.stores.misbehaving import MISDEEDS
from tests.stores.mute import ANSWERS, falling_mute, jumping, target_of

pytestmark = pytest.mark.usefixtures("in_tmp_path")

LIMIT: Final = "0.25"
COMMANDS: Final = (
    ["conform"], ["conform", "--json"], ["stress", "--seconds", "0.2", "--clients", "3"],
    ["stress", "--flows", "--seconds", "0.2", "--clients", "2"],
)  # fmt: skip


@pytest.fixture
def soon_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that does not end when its stdin does is not waited for as long as a decent one."""
    monkeypatch.setattr(child, "END_SECONDS", 0.1)


def dsn(*args: object) -> str:
    return f"exec:{shlex.join([sys.executable, '-ISE', misbehaving.__file__, *map(str, args)])}"


def law(seed: int) -> int:
    """A store that keeps no predicates cannot pass, whatever else it does: if it is asked for enough to show it.

    Of a `stress` as short as these it answers fewer requests rightly than a verdict takes.
    """
    command = COMMANDS[(seed // len(MISDEEDS)) % len(COMMANDS)]
    rightly = () if command[0] == "conform" else (seed % 6,)
    result = lakeproof(*command[:1], dsn(seed, *rightly), *command[1:], "--timeout", LIMIT)
    assert result.exit_code in (1, 2, 3), (seed, result.output)
    if result.exit_code == 2:
        last = result.stderr.splitlines()[-1]
        assert last.startswith("lakeproof: exec:"), seed
        assert "does not speak the protocol exec: expected " in last, seed
        assert last.isprintable(), seed
        assert len(last) < 1_000, seed
    assert all(line.isprintable() for line in result.stdout.split("\n")), seed
    return result.exit_code


@pytest.mark.deep
@pytest.mark.usefixtures("soon_killed")
def test_dozens_of_programs() -> None:
    each = len(MISDEEDS)
    codes = [law(misdeed + each * ((misdeed + 1) % len(COMMANDS))) for misdeed in range(each)]
    assert codes.count(2) > len(codes) / 3


class TestConform:
    def test_a_program_that_echoes_is_told_what_was_expected_and_what_came(self) -> None:
        told = complaint(lakeproof("conform", "exec:/bin/cat"))
        assert told.startswith("exec:/bin/cat: does not speak the protocol exec: expected a line such as ")
        assert told.endswith("; see docs/targets.md")
        assert 'in answer to its first request, got: nonsense: expected either "ok" or "error", an object' in told

    def test_a_line_without_end_is_not_read_to_its_end(self) -> None:
        result = lakeproof("conform", dsn(MISDEEDS.index("endless-line"), 9), "--timeout", "60")
        assert result.exit_code == 2
        assert "got: a line of more than 16,777,216 bytes; expected one answer" in result.stderr

    @pytest.mark.parametrize("seconds", [2, math.inf])
    def test_a_store_that_falls_silent_is_asked_no_more(self, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
        store = falling_mute(seconds)
        monkeypatch.setattr("lakeproof.commands.conform.target", lambda *_, **__: target_of(store))
        monkeypatch.setattr(trio, "run", partial(trio.run, clock=jumping()))
        result = lakeproof("conform", "mute:", "--timeout", "5")
        assert result.exit_code == 3
        assert re.search(r"INCONCLUSIVE: .*; 1 claim not judged; .* claims could not be judged\n$", result.stdout)
        assert store.asked == ANSWERS + 2, "in the claim, and whether it answers at all"


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


def test_what_a_process_has_started_that_ends_by_itself_ends_with_it() -> None:
    async def main() -> None:
        async with child_store(["sh", "-c", "tail -f /dev/null > /dev/null & echo $! > pid"]) as store:
            with pytest.raises(kv.OutcomeUnknown, match="it ended with exit code 0"):
                await store.set(b"p", b"k", b"v")
            pid = await trio.Path("pid").read_text()
            assert await trio.to_thread.run_sync(ended, [int(pid)])

    trio.run(main)
