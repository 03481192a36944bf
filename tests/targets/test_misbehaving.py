"""Programs that misbehave at random: a verdict or one line, never a traceback, a hang or exit code 0."""

import os
import shlex
import sys
from typing import Final

import pytest

from lakeproof.targets import child
from tests.commands import complaint, lakeproof
from tests.targets import misbehaving
from tests.targets.misbehaving import MISDEEDS

pytestmark = pytest.mark.usefixtures("in_tmp_path", "soon_killed")

MANY: Final = int(os.environ.get("FUZZ_EXAMPLES", "300"))
"""Of each deep test."""
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


def test_dozens_of_programs() -> None:
    each = len(MISDEEDS)
    codes = [law(misdeed + each * (misdeed % len(COMMANDS))) for misdeed in range(each)]
    assert codes.count(2) > len(codes) / 3


@pytest.mark.deep
def test_hundreds_of_programs() -> None:
    for seed in range(1_000, 1_000 + MANY):
        law(seed)


class TestConform:
    def test_a_program_that_echoes_is_told_what_was_expected_and_what_came(self) -> None:
        told = complaint(lakeproof("conform", "exec:/bin/cat"))
        assert told == (
            "exec:/bin/cat: does not speak the protocol exec: expected a line such as "
            '{"id": 1, "error": {"kind": "not_found"}} in answer to its first request, got: '
            'nonsense: expected either "ok" or "error", an object, and got '
            """b'{"id":1,"op":"get","partition":"bGFrZXByb29m","key":"YXdha2U="}'; see docs/exec-protocol.md"""
        )

    @pytest.mark.parametrize(
        ("program", "got"),
        [
            (
                "import time; time.sleep(60)",
                f"no answer within {LIMIT} s; see docs/exec-protocol.md, or give it longer",
            ),
            ("import sys; sys.exit(3)", "it ended with exit code 3; see"),
            ("import os; os.abort()", "it ended with signal 6; see"),
            ("print('Welcome', flush=True); input()", "nonsense: b'Welcome' is no JSON"),
        ],
    )
    @pytest.mark.parametrize("command", [["conform"], ["stress"], ["stress", "--flows"]])
    def test_what_is_no_store_is_no_verdict(self, command: list[str], program: str, got: str) -> None:
        address = f"exec:{shlex.join([sys.executable, '-ISc', program])}"
        result = lakeproof(*command, address, "--timeout", LIMIT if "sleep" in program else "20")
        assert result.exit_code == 2
        last = result.stderr.splitlines()[-1]
        assert f"in answer to its first request, got: {got}" in last

    @pytest.mark.parametrize("rightly", [0, 9])
    def test_a_line_of_hundreds_of_megabytes_is_not_read_to_its_end(self, rightly: int) -> None:
        # It has no end: who waited for it would not come back.
        result = lakeproof("conform", dsn(MISDEEDS.index("endless-line"), rightly))
        assert result.exit_code == 2
        assert "got: " in result.stderr
        assert "a line of more than 16,777,216 bytes; expected one answer" in result.stderr

    def test_a_program_that_speaks_nonsense_later_is_no_verdict_either(self) -> None:
        result = lakeproof("conform", dsn(MISDEEDS.index("echo"), 9))
        assert result.exit_code in (2, 3)
        assert "conforming" not in result.stdout.replace("NOT conforming", "")
        result = lakeproof("conform", dsn(MISDEEDS.index("wrong-id"), 9))
        assert result.exit_code == 2
        assert "expected one line in answer to each request, got: an answer to " in result.stderr

    def test_a_program_that_falls_silent_is_asked_no_more(self) -> None:
        result = lakeproof("conform", dsn(MISDEEDS.index("mute"), 9), "--timeout", "2")
        assert result.exit_code == 3
        last = result.stdout.splitlines()[-1]
        assert last.startswith("INCONCLUSIVE: ")
        assert "; 1 claim not judged; " in last
        assert last.endswith(" claims could not be judged")
        assert "; it does not answer any more, and " in last
