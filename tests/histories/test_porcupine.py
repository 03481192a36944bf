"""Porcupine's recorded histories get Porcupine's verdicts: five of them here, the whole set where a folder is named."""

import json
import os
from pathlib import Path

import pytest

from lakeproof.histories import read
from lakeproof.model.linearizability.checker import check
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import specification_of

HERE = Path(__file__).parent / "porcupine"
KNOWN = {
    "etcd_000.log": "violated",
    "etcd_002.log": "holds",
    "etcd_026.log": "violated",
    "c01-bad.txt": "violated",
    "c01-ok.txt": "holds",
}
WHOLE = os.environ.get("PORCUPINE_HISTORIES")


def verdict(path: Path, algorithm: str | None = None) -> str:
    told = read(path, memory=1 << 28)
    found = {v.verdict for v in check(specification_of(told.fs), told, algorithm=algorithm)}
    return str(next(v.value for v in (Verdict.VIOLATED, Verdict.INCONCLUSIVE, Verdict.HOLDS) if v in found))


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("algorithm", [None, "search"])
def test_a_recorded_history_gets_its_known_verdict(name: str, algorithm: str | None) -> None:
    assert verdict(HERE / name, algorithm) == KNOWN[name]


if WHOLE is not None:

    def test_all_recorded_histories_get_their_known_verdicts() -> None:
        folder = Path(str(WHOLE))
        known = json.loads((folder / "verdicts.json").read_text())
        assert {name: verdict(folder / name) for name in known} == known
