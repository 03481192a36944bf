"""`conform --json` and `stress --json`: one object, the verdict of the exit code, and what it rests on."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import Result

from lakeproof.impl.stores.conformance import claim_text, claims
from tests.commands import complaint, lakeproof
from tests.stores.planted_store import dsn as planted

pytestmark = pytest.mark.usefixtures("in_tmp_path")

REFUSES = """
import json, sys
for line in sys.stdin:
    error = {"kind": "refused", "message": "closed on Sundays"}
    print(json.dumps({"id": json.loads(line)["id"], "error": error}), flush=True)
"""
VERDICTS = {0: "holds", 1: "violated", 3: "inconclusive"}


def judged(*arguments: str) -> tuple[Result, dict[str, object]]:
    """The run, and the one object on its stdout."""
    result = lakeproof(*arguments, "--json")
    [line] = result.stdout.splitlines()
    found = json.loads(line)
    assert found["verdict"] == VERDICTS[result.exit_code]
    return result, found


def test_of_conform_what_holds_has_every_claim_and_the_sum_goes_to_stderr() -> None:
    result, found = judged("conform", "memory:", "--seed", "3")
    assert found == {
        "store": "memory:",
        "seed": 3,
        "verdict": "holds",
        "claims": [{"claim": claim_text(claim), "kept": True, "why": ""} for claim in claims()],
        "unasked": [],
        "left": {},
    }
    assert result.stderr == f"conforming: {len(claims())} claims kept by memory:\n"


class TestStress:
    @pytest.mark.usefixtures("counted")
    def test_what_is_violated_has_its_evidence_and_the_files(self) -> None:
        result, found = judged("stress", planted("get-then-set"))
        evidence, written = found["evidence"], found["written"]
        assert isinstance(evidence, list)
        assert isinstance(written, list)
        assert all(Path(path).exists() for path in written)
        assert {"out/stress/history.jsonl", "out/stress/evidence.txt"} <= set(written)
        assert len(written) == 2 + len(evidence) > 2
        assert evidence[0].keys() == {
            "key", "explained", "failed", "line", "minimal", "held", "operations", "elsewhere",
        }  # fmt: skip
        assert evidence[0]["failed"] in Path("out/stress/evidence.txt").read_text()
        assert result.stderr.splitlines()[-1].startswith("VIOLATED: ")

    def test_what_is_inconclusive_says_why(self) -> None:
        Path("store.py").write_text(REFUSES)
        store = f"exec:{sys.executable} store.py"
        _, found = judged("stress", store, "--seconds", "0.5", "--clients", "2")
        assert found["why"] == "hardly anything was answered"
        troubles = found["troubles"]
        assert isinstance(troubles, dict)
        assert troubles.keys() == {"closed on Sundays"}

    def test_a_folder_that_cannot_be_written_to_is_named_before_the_run(self) -> None:
        Path("file").touch()
        result = lakeproof("stress", "memory:", "--out", "file/out")
        assert complaint(result).startswith(f"{Path.cwd()}/file: cannot be written: it is no folder")
        assert result.stdout == ""


def test_of_flows_there_is_a_verdict_for_each_invariant() -> None:
    _, found = judged("stress", "memory:", "--flows", "--seconds", "1")
    invariants = found["invariants"]
    assert isinstance(invariants, list)
    assert {one["invariant"] for one in invariants} >= {"commit-is-causal", "no-reachable-zombie"}
    for one in invariants:
        assert one["verdict"] == ("holds" if one["checks"] else "inconclusive")
        assert one["evidence"] == []
