"""Verdicts of the search, and whether a lasso exists, against Spin's (`-a`, `-f`), on protocols that are written twice.
What each text is made of, `pairs.py` says."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lakeproof.search.search import Limits, search
from tests.search.spin.pairs import BOTH, NEVER, PAIRS, UNFAIR, Claim, Fair, Pair

FOLDER = Path(__file__).parent / "promela"
FAIRNESS: tuple[Fair, ...] = ("none", "weak")
BY_TEXT = {pair.text: pair for pair in PAIRS}
FEW = {
    "spin_lock",
    "bakery",
    "attempts POLITE",
    "readers COURTEOUS",
    "counter TORN",
    "token_channel TWICE",
    "two_phase_messages CRASH",
}
"""These are compared in every run."""
FORMULA = re.compile(r"^ltl (\w+) \{(.*?)\}\n", re.DOTALL | re.MULTILINE)
COMPILE = ("gcc", "-O0", "-w", "-DNOREDUCE", "-DNFAIR=3", "-o", "pan", "pan.c")

Question = tuple[Claim, Fair, bool]
"""A claim, under a fairness; and whether only runs that go on for ever count."""


def questions(pair: Pair) -> list[Question]:
    return [
        (claim, fair, for_ever)
        for claim in pair.claims
        for fair in (FAIRNESS[:1] if claim.safety else FAIRNESS)
        for for_ever in ([False] if claim.safety or pair.stuck else [False, True])
    ]


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def judge_with_spin(pair: Pair, folder: Path) -> list[bool]:
    """What is broken. Each formula has a twin that is true of runs that end: the claim is the last process then."""
    for program in ("spin", "gcc"):
        if shutil.which(program) is None:
            assert "CI" not in os.environ, f"{program} is not installed; .ci/run installs it"
            pytest.skip(f"{program} is not installed")
    name, *defines = pair.text.split()
    text = (FOLDER / f"{name}.pml").read_text()
    twins = FORMULA.sub(r"\g<0>ltl \1_for_ever { <> (_nr_pr == 1) || (\2) }\n", text)
    (folder / "model.pml").write_text(twins)
    run(folder, "spin", *(f"-D{define}" for define in defines), "-a", "model.pml")
    run(folder, *COMPILE)
    found = []
    for claim, fair, for_ever in questions(pair):
        formula = f"{claim.name}_for_ever" if for_ever else claim.name
        said = run(folder, "./pan", "-a", "-m100000", *(["-f"] if fair == "weak" else []), "-N", formula)
        errors = re.search(r"errors: (\d+)", said)
        assert errors is not None, said
        assert "too small" not in said, said
        assert errors[1] != "0" or "Search not completed" not in said, said
        found.append(errors[1] != "0")
    return found


def judge_with_the_search(pair: Pair) -> list[bool]:
    """What is broken; where only runs that go on for ever count, by a lasso."""
    found = []
    for claim, fair, for_ever in questions(pair):
        result = search(pair.scenario(claim.make(fair, for_ever)), Limits(seconds_max=120))
        [finding] = [finding for finding in result.findings if finding.id == claim.name]
        assert finding.verdict == "violated" or (finding.verdict == "holds" and result.complete)
        lasso = finding.counterexample is not None and finding.counterexample.loop is not None
        found.append(lasso if for_ever else finding.verdict == "violated")
    return found


def expectation(pair: Pair) -> list[bool]:
    return [fair in claim.broken and not (for_ever and claim.ends) for claim, fair, for_ever in questions(pair)]


def differences(pair: Pair, folder: Path) -> list[str]:
    """Where the three do not say the same."""
    found = []
    spin, ours = judge_with_spin(pair, folder), judge_with_the_search(pair)
    for (claim, fair, for_ever), *said in zip(questions(pair), expectation(pair), spin, ours, strict=True):
        if len(set(said)) > 1:
            runs = "for ever" if for_ever else "any run"
            found.append(f"{pair.text}, {claim.name}, {fair}, {runs}: expected, Spin, search: {said}")
    return found


def parametrised() -> list[object]:
    return [pytest.param(pair, id=pair.text, marks=[] if pair.text in FEW else [pytest.mark.deep]) for pair in PAIRS]


@pytest.mark.parametrize("pair", parametrised())
def test_the_search_says_what_spin_says(pair: Pair, tmp_path: Path) -> None:
    assert differences(pair, tmp_path) == []


@pytest.mark.parametrize(
    ("flows", "text"),
    [("peterson SWAPPED", "peterson"), ("counter", "counter TORN"), ("token_channel TWICE", "token_channel")],
)
def test_a_text_of_another_protocol_is_noticed(flows: str, text: str, tmp_path: Path) -> None:
    pair = BY_TEXT[flows]
    assert differences(Pair(text, pair.clients, *pair.claims), tmp_path) != []


def test_there_are_twenty_protocols_and_claims_of_each_kind() -> None:
    texts = {pair.text.split()[0] for pair in PAIRS}
    assert texts == {path.stem for path in FOLDER.glob("*.pml")}
    attempts = [pair for pair in PAIRS if pair.text.startswith("attempts ")]
    assert len(texts - {"attempts"}) + len(attempts) >= 20
    claims = {(claim.safety, claim.broken) for pair in PAIRS for claim in pair.claims}
    assert claims == {(True, NEVER), (True, BOTH), (False, NEVER), (False, UNFAIR), (False, BOTH)}
