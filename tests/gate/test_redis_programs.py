"""Programs on Redis behind the gate: what is found, what is proved, and that each class is run once."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.gate.classes import Classes, Name, Pending
from lakeproof.gate.fronts.footprints import Footprint, dependent
from lakeproof.gate.fronts.redis.front import RedisFront, RedisRequest
from lakeproof.gate.fronts.redis.parser import Words
from lakeproof.gate.fronts.redis.session import Session
from lakeproof.gate.fronts.redis.state import RedisState
from tests.commands import lakeproof
from tests.gate.redis_requests import performed, words

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


STRANGER = """
import os

import redis

from lakeproof.gate import GateScenario, call


def add():
    url = os.environ["REDIS_URL"]
    with redis.Redis.from_url("redis://" + url.partition("@")[2]) as client:
        return client.set("n", 1)


def is_judged(outcome):
    return str(outcome)


SCENARIOS = [GateScenario(name="s", clients=[[call(add)]], invariants=[is_judged])]
"""


def test_a_connection_of_no_client_is_refused_and_nothing_is_proved(tmp_path: Path) -> None:
    file = tmp_path / "stranger.py"
    file.write_text(STRANGER)
    result = lakeproof("gate", "run", str(file), "--out", str(tmp_path))
    assert result.exit_code == 3, result.output
    assert "SET n: a connection that is of no client of REDIS_URL is not known here" in result.output


Event = tuple[int, int, str, object, Footprint]


class Run:
    """Clients that send commands one after the other, without processes. What is of the connection is done at once."""

    def __init__(self, clients: Sequence[Sequence[Words]]) -> None:
        self.clients = clients
        self.state = RedisState()
        self.sessions = [Session(number) for number in range(len(clients))]
        self.at = [0] * len(clients)
        self.waits: dict[int, RedisRequest] = {}
        self.events: list[Event] = []
        for number in range(len(clients)):
            self._go_on(number)

    def _go_on(self, number: int) -> None:
        while self.at[number] < len(self.clients[number]):
            found = self.sessions[number].taken(self.clients[number][self.at[number]])
            self.at[number] += 1
            if isinstance(found, RedisRequest):
                self.waits[number] = found
                return

    def move(self, number: int) -> Footprint:
        asked = self.waits.pop(number)
        self.state, reply, footprint = performed(self.state, asked)
        self.sessions[number].answered(asked, reply)
        self.events.append((number, self.at[number], RedisFront().label_of(asked), reply, footprint))
        self._go_on(number)
        return footprint

    @property
    def class_(self) -> frozenset[object]:
        """What all equivalent schedules have in common."""
        pairs = {
            (one, other)
            for at, one in enumerate(self.events)
            for other in self.events[at + 1 :]
            if one[0] == other[0] or dependent(one[4], other[4])
        }
        return frozenset((*self.events, *pairs))


Program = list[list[Words]]


def by_brute_force(clients: Program) -> dict[frozenset[object], RedisState]:
    """The state at the end of each class of all schedules."""

    def ended(moves: tuple[int, ...]) -> Iterator[Run]:
        run = Run(clients)
        for each in moves:
            run.move(each)
        if not run.waits:
            yield run
        for number in run.waits:
            yield from ended((*moves, number))

    found: dict[frozenset[object], RedisState] = {}
    for run in ended(()):
        assert found.setdefault(run.class_, run.state) == run.state
    return found


def by_search(clients: Program) -> dict[frozenset[object], RedisState]:
    search, found = Classes(), {}
    while search.begin():
        run = Run(clients)
        while run.waits:
            pending = [
                Pending(Name(str(number), RedisFront().label_of(asked), run.at[number]))
                for number, asked in run.waits.items()
            ]
            choice = search.choose(pending)
            if choice is None:
                break
            search.let_go(run.move(int(choice.name.client)))
        complete = search.complete
        search.end()
        if search.complete > complete:
            assert run.class_ not in found, "a class was run twice"
            found[run.class_] = run.state
    assert search.all_run
    return found


ADDS_CAREFULLY = ("WATCH n", "GET n", "MULTI", "SET n 1", "EXEC")
COMMANDS = st.sampled_from(
    ["GET a", "SET a 1", "SET a 1 NX", "DEL a", "SET b 1", "KEYS *", "SCAN 0 MATCH b*", "INCR a", "FLUSHDB", "MGET a b"]
).map(lambda line: [line]) | st.sampled_from(
    [["WATCH a", "MULTI", "SET b 2", "EXEC"], ["MULTI", "GET a", "SET a 2", "EXEC"], ["WATCH a b", "MULTI", "EXEC"]]
)
CLIENTS = st.lists(COMMANDS, min_size=1, max_size=3).map(lambda found: [words(line) for each in found for line in each])


@settings(max_examples=80)
@given(st.lists(CLIENTS, min_size=2, max_size=3).filter(lambda found: sum(map(len, found)) <= 9))
def test_each_class_of_brute_force_is_run_once(clients: Program) -> None:
    assert by_search(clients) == by_brute_force(clients)


@pytest.mark.parametrize(
    ("clients", "classes"),
    [
        ([("SET a 1",), ("SET b 1",)], 1),
        ([("SET a 1",), ("SET a 1",)], 2),
        ([("SET a 1 NX",), ("SET a 1 NX",)], 2),
        ([("MULTI", "GET a", "SET a 1", "EXEC"), ("MULTI", "GET a", "SET a 1", "EXEC")], 2),
        ([("GET n", "SET n 1"), ("GET n", "SET n 1")], 4),
        ([ADDS_CAREFULLY, ADDS_CAREFULLY], 6),
    ],
)
def test_the_number_of_classes_by_hand(clients: list[tuple[str, ...]], classes: int) -> None:
    found = by_search([list(map(words, each)) for each in clients])
    assert len(found) == classes
