"""SlateDB on S3: two writers, of which the later one fences the earlier, and a garbage collection.

lakeproof gate run examples/gate/slatedb_store.py put-put --strategy pct --schedules 20
"""

from functools import partial

from slatedb_interfaces import collected, opened

from lakeproof import Faults
from lakeproof.gate import GateScenario, Outcome, call

KEYS = ("old", "one", "two")
OPENS_SECONDS = 10.0


def put(key: str) -> None:
    """Open the database, put a key, and wait until the log has it. The process does not close it: it stalls."""
    opened().put(key)


def put_and_move(key: str) -> None:
    """The same; then move what the log has to a table, and let the log begin behind it."""
    database = opened()
    database.put(key)
    database.move()


def collect() -> None:
    """Delete what the database no longer needs, however young it is."""
    collected(("manifest", "wal", "compacted", "compactions"))


def collect_log() -> None:
    """The same, of the write-ahead log alone."""
    collected(("wal",))


def found() -> list[str]:
    """The keys that can be read, by a new writer.

    Raises:
        TimeoutError: it cannot open the database.
    """
    database = opened(OPENS_SECONDS)
    there = [key for key in KEYS if database.get(key) == key.encode()]
    database.close()
    return there


def create() -> None:
    put("old")


def create_moved() -> None:
    """The same, with nothing in the log that a new writer must read."""
    put_and_move("old")


def acknowledged_is_there(outcome: Outcome) -> str | None:
    """A put that was acknowledged can be read."""
    read = outcome.after[0]
    if not read.ok:
        return f"the database cannot be opened: {read.error} {' '.join(read.message.split())[:160]}"
    assert isinstance(read.value, list)
    ended = [each for calls in outcome.results.values() for each in calls]
    puts = [each.args[0] for each, got in ended if each.name.startswith("put") and got.ok]
    lost = [key for key in ("old", *puts) if key not in read.value]
    return f"the put of {lost[0]} was acknowledged, and it cannot be read" if lost else None


scenario = partial(
    GateScenario,
    setup=[call(create)],
    after=[call(found)],
    invariants=[acknowledged_is_there],
    parallel="threads",
    calm_seconds=0.01,  # an open database asks for its manifest by a timer, too
)
ONE, TWO, GC = [call(put, "one")], [call(put, "two")], [call(collect)]

SCENARIOS = [
    scenario(name="slatedb/put-put", clients=[ONE, TWO]),
    scenario(name="slatedb/put-collect", clients=[ONE, GC]),
    scenario(name="slatedb/collect-put-put", clients=[ONE, TWO, GC]),
    scenario(
        name="slatedb/stalled-writer",
        setup=[call(create_moved)],
        clients=[ONE, [call(put_and_move, "two"), call(collect_log)]],
        parallel=False,
        calm_seconds=0.03,  # for 0.10.0
    ),
    scenario(name="slatedb/lost-answer/put-put", clients=[ONE, TWO], faults=Faults(lost_answers=1)),
    scenario(name="slatedb/one-put/lost-answer", clients=[ONE], faults=Faults(lost_answers=1)),
]
