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


ON_THE_WAY = """
import os

import redis

from lakeproof import Faults
from lakeproof.gate import GateScenario, call


def connected():
    return redis.Redis.from_url(os.environ["REDIS_URL"])


def prepare():
    with connected() as client:
        client.set("a", 1)


def move(at_once):
    with connected() as client, client.pipeline(transaction=at_once) as pipe:
        pipe.delete("a")
        pipe.set("b", 1)
        pipe.execute()


def look():
    with connected() as client:
        return client.mget("x", "y") == [None, None]


def it_is_somewhere(moment, calls):
    found = [moment.store.redis.text(key) for key in ("a", "b")]
    return None if any(found) else f"it is nowhere: {found}"


def pieces(at_once):
    return dict(setup=[call(prepare)], clients=[[call(move, at_once)], [call(look)]], always=[it_is_somewhere])


SCENARIOS = [
    GateScenario(name="pipeline", expect={"it_is_somewhere": "violated"}, **pieces(False)),
    GateScenario(name="transaction", faults=Faults(crashes=1, lost_answers=1, refusals=1), **pieces(True)),
]
"""


@pytest.mark.deep
def test_a_transaction_has_no_states_inside_and_a_pipeline_has(tmp_path: Path) -> None:
    file = tmp_path / "moving.py"
    file.write_text(ON_THE_WAY)
    rows = gate(str(file), "--out", str(tmp_path))
    assert [(row["scenario"], row["verdict"], row["all"]) for row in rows] == [
        ("pipeline", "violated", True),
        ("transaction", "holds", True),
    ]
