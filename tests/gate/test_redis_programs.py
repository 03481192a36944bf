"""Programs on Redis behind the gate: what is found, and what is proved.

That each class is run once follows from two laws: of the footprints (test_redis_laws.py) and of the search
(test_side_by_side.py)."""

import json
from pathlib import Path

import pytest

from tests.commands import lakeproof

EXAMPLE = Path(__file__).parents[2] / "examples" / "gate" / "redis_lock.py"


def gate(*arguments: str) -> list[dict[str, object]]:
    result = lakeproof("gate", "run", *arguments, "--json")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "verdict", "schedules", "violating"),
    [
        ("lock/watch", "holds", 21, 0),
        *(
            pytest.param(*each, marks=pytest.mark.deep)
            for each in (
                ("lock/blind", "violated", 20, 1),
                ("lock/redis-py", "holds", 28, 0),
                ("counter/blind", "violated", 4, 2),
                ("counter/watch", "holds", 6, 0),
                ("counter/incr", "holds", 2, 0),
                ("counter/incr/lost-answer", "violated", 3, 1),
                ("counter/lock/never-expires", "holds", 4, 0),
                ("counter/lock/expires", "violated", 74, 32),
            )
        ),
    ],
)
def test_the_example_ends_as_it_says(name: str, verdict: str, schedules: int, violating: int, tmp_path: Path) -> None:
    [row] = gate(str(EXAMPLE), name, "--out", str(tmp_path))
    assert (row["verdict"], row["schedules"], row["violating"], row["all"]) == (verdict, schedules, violating, True)


def test_a_violation_replays_each_time_with_the_same_answers(tmp_path: Path) -> None:
    [row] = gate(str(EXAMPLE), "lock/blind", "--out", str(tmp_path))
    told = json.loads(Path(str(row["trace"])).read_text())
    assert [(each["client"], each["request"], each["status"]) for each in told["steps"]] == [
        ("c1", "SET lock nx", "OK"),
        ("c1", "DEL lock", 0),
        ("c2", "SET lock nx", "OK"),
        ("c1", "DEL lock", "1"),
    ]
    result = lakeproof("gate", "replay", str(row["trace"]), "--from", str(EXAMPLE), "--times", "3")
    assert (result.exit_code, "3 of 3: violated, same" in result.output) == (1, True), result.output
