"""The benchmark of the gate runs schedules, beside a gate that holds nothing."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import gate

COUNTER = Path(__file__).parents[1] / "examples" / "gate" / "counter.py"


@pytest.mark.deep
def test_it_counts_schedules_and_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "rates.json"
    words = ["gate", str(COUNTER), "counter/blind", "--seconds", "0.5", "--jobs", "2", "--json", str(out)]
    monkeypatch.setattr(sys, "argv", words)
    gate.main()
    free, held = json.loads(out.read_text())["rows"]
    assert (free["gates"], held["gates"]) == ("none holds", "2")
    assert free["schedules_per_second"] > 0 < held["schedules_per_second"]
    assert held["steps_per_second"] > held["schedules_per_second"]  # four requests each
