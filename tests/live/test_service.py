"""`lakeproof service` on the fake: the correct one holds, and every planted bug is found."""

import json
import re
from pathlib import Path

import pytest

from lakeproof.live.engine import Plan
from lakeproof.live.lakefs.calls import MAKERS, MERGES, NEVER
from lakeproof.live.lakefs.existence import EFFECTIVE, INACCESSIBLE, REPOSITORY_SPARED, UNIQUE
from lakeproof.live.lakefs.final_state import LakeFSRound
from lakeproof.live.lakefs.promises import IDS, UPDATED
from lakeproof.live.lakefs.rounds import Traffic
from lakeproof.live.lakefs.workload import INITIAL_BRANCHES, focus_kinds
from lakeproof.model.invariants import Violation
from lakeproof.words import Unusable
from tests.fake_lakefs.bugs import BUGS, DOUBTFUL
from tests.live.runs import run, service

WRITES = {
    "acknowledged-write-is-kept",
    "acknowledged-delete-is-kept",
    "commit-is-causal",
    "read-is-legal",
    "conditional-write-is-exclusive",
}
"""What is lost shows where somebody looks first: a delete may be lost, too, and a path that is asked for as absent may
seem so."""
FOUND_AS = {
    "lost-write": WRITES,
    "refused-write": {"refused-write-is-absent"},
    "dirty-branch": {"branch-starts-clean", "acknowledged-reset-is-kept"},
    "lost-update": {UPDATED},
    "create-race": {UNIQUE, EFFECTIVE},  # of two that succeed, one takes the place of the other, which is gone
    "missed-read": {"read-is-legal", UPDATED},
    "refused-delete": {EFFECTIVE, UNIQUE, REPOSITORY_SPARED, INACCESSIBLE},
    "cache": {INACCESSIBLE},
}
"""Under which ids each bug may show: at least one of them."""


CONCERNED = {"dirty-branch": ("side set",), "lost-update": ("update_metadata", "stat_entry", "set")}
"""What calls a bug concerns, where it would show seldom among all the others."""


A_FEW = ("lost-write", "dirty-branch", "lost-update", "create-race")
"""Planted always, for the way from clients to a verdict; `test_soundness` has a misdeed for each invariant."""


@pytest.mark.parametrize(
    "bug", [each if each in A_FEW else pytest.param(each, marks=pytest.mark.long) for each in BUGS]
)
def test_a_planted_bug_is_found(bug: str) -> None:
    """A run ends with the first round that violates something: where calls overlap that may be another invariant, and
    the next seed has to do."""
    found: set[str] = set()
    for seed in range(1, 6):
        done, _ = run(bug, Plan(rounds=200, calls=300), seed=seed, often=focus_kinds(CONCERNED.get(bug, ())))
        assert done.violations
        found |= {violation.invariant for violation in done.violations}
        if found & FOUND_AS[bug]:
            return
    raise AssertionError(found)


def test_the_correct_twin_holds_and_leaves_nothing_behind_and_all_is_read_in_the_end(run_seed: int) -> None:
    done, traffic = run(plan=Plan(rounds=2, calls=400), seed=run_seed)
    assert done.violations == []
    assert (done.unread, traffic.left) == ([], [])
    assert sum(traffic.tally.answers.values()) > 600
    assert traffic.last is not None
    calls = traffic.last.entries
    created = {call.args[1] for call in calls if call.name == "create_branch"}
    quiet = max(call.noted for call in calls if call.name not in {"get_branch", "get_tag", "get_pull", "stat_entry"})
    assert {call.args[1] for call in calls if call.name == "get_branch" and call.began > quiet} >= created
    final = traffic.last.final
    assert final.branches.keys() == final.logs.keys() >= set(INITIAL_BRANCHES)
    assert final.messages.keys() == {commit_id for line in final.logs.values() for commit_id in line}
    named = {call.args[3] for call in calls if call.name == "revert" and call.ok}
    reverts = {commit_id for commit_id, message in final.messages.items() if message in named}
    made = {str(call.value) for call in calls if call.name in MAKERS - {"revert"} and call.ok}
    assert final.commits.keys() >= made | reverts, "else commits are judged by half of what they hold, or not at all"
    assert final.ancestors.keys() == {str(call.value) for call in calls if call.name in MERGES and call.ok}


def test_connections_that_are_lost_make_unknown_outcomes_and_no_violations(run_seed: int) -> None:
    done, traffic = run(DOUBTFUL, seed=run_seed)
    assert done.violations == []
    assert sum(count for (_, how), count in traffic.tally.answers.items() if how == "unknown")


@pytest.mark.long
@pytest.mark.parametrize("bugs", ["", DOUBTFUL])
def test_a_sound_fake_is_quiet_over_ten_thousand_calls(bugs: str, run_seed: int) -> None:
    done, _ = run(bugs, Plan(rounds=15, calls=700), seed=run_seed)
    assert (done.violations, done.unread, done.missing) == ([], [], [])
    assert done.tally.total > 10_000


def test_a_violation_is_told_and_written_with_its_history(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = service("--out", str(out), "--seconds", "600", bugs="create-race")
    assert result.exit_code == 1, result.output
    lines = result.stdout.splitlines()
    assert re.fullmatch(r"lakefs\+http://fake:\*\*\*@127.0.0.1:\d+: lakeFS fake, seed 5, 8 clients", lines[0])
    last = re.fullmatch(r"VIOLATED: (.*) \(seed 5\)", lines[-1])
    assert last is not None
    broken = set(last[1].split(", "))
    assert broken & FOUND_AS["create-race"]
    assert broken == {line.split()[0] for line in lines if re.fullmatch(r"  \S+ +[\d,]+ checks  violated", line)}
    assert {path.name for path in out.iterdir()} == {"evidence.txt", "held.txt", "history.jsonl"}
    assert "create_repository(" in (out / "evidence.txt").read_text()
    events = [json.loads(line) for line in (out / "history.jsonl").read_text().splitlines()]
    assert {event["type"] for event in events} >= {"invoke", "ok", "fail"}
    assert all(event["time"] < NEVER for event in events)


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (Unusable("--restart-with x: ended with 1: ; mend it"), 2)]
)
def test_what_ends_a_run_loses_no_violation_and_no_name_of_what_stays(
    error: BaseException, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, before = Traffic._judge, list[Violation]()

    def interrupted(self: Traffic, made: LakeFSRound) -> None:
        if before:
            self.left.append("lakeproof-stays")
            raise error
        judge(self, made)
        before.extend(made.violations)

    monkeypatch.setattr(Traffic, "_judge", interrupted)
    words = ("--keep-going", "--seconds", "600", "--json", "--out", str(tmp_path / "out"))
    result = service(*words, bugs="create-race")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["verdict"]) == (code, "violated")
    assert (found["left"], found["unread"]) == (["lakeproof-stays"], {"interrupted": 1})
    assert all(Path(path).exists() for path in found["written"])
    assert any(line.startswith("VIOLATED: ") for line in result.stderr.splitlines())


def test_json_is_one_object_with_the_verdict_of_the_exit_code(tmp_path: Path) -> None:
    result = service("--rounds", "60", "--seconds", "600", "--json", "--out", str(tmp_path / "out"), bugs="create-race")
    [line] = result.stdout.splitlines()
    found = json.loads(line)
    assert (found["verdict"], result.exit_code) == ("violated", 1)
    assert (found["seed"], found["clients"], found["version"], found["left"]) == (5, 8, "fake", [])
    assert len(found["invariants"]) == 20
    for one in found["invariants"]:
        issues = "holds" if one["checks"] else "inconclusive"
        assert one["verdict"] == ("violated" if one["evidence"] else issues)
    assert result.stderr.splitlines()[-1].startswith("VIOLATED")
    assert all(Path(path).exists() for path in found["written"])


@pytest.mark.deep
def test_a_run_can_go_on_after_a_violation_and_judge_less(tmp_path: Path) -> None:
    planted = ("--json", "--out", str(tmp_path / "o"))
    found = json.loads(service(*planted, "--rounds", "2", "--keep-going", bugs="lost-write").stdout)
    assert found["rounds"] == 2
    broken = {one["invariant"] for one in found["invariants"] if one["verdict"] == "violated"}
    assert broken & FOUND_AS["lost-write"]
    chosen = service("--rounds", "1", "--only", "read-is-legal, commit-is-causal", bugs="create-race")
    assert chosen.stdout.splitlines()[-1] == "HOLDS: 2 invariants of 20 (seed 5)", "what is not judged ends nothing"
    spared = json.loads(service(*planted, "--rounds", "1", "--except", "read-is-legal", calls=50).stdout)
    assert [one["invariant"] for one in spared["invariants"]] == [name for name in IDS if name != "read-is-legal"]
