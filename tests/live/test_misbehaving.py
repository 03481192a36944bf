"""Whatever a server does, `service` ends in time, without a traceback, and says no more than it knows: one that answers
oddly, goes away in a round, is restarted, or is one of several."""

import json
import math
import os
import shlex
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import attrs
import pytest
import trio
import urllib3.exceptions

from lakeproof.live.engine import RESTARTED, UNJUDGED_MAX, Load, Plan, restarting
from lakeproof.live.lakefs.api import WORDS_MAX, LakeFS, address, answer_of
from lakeproof.live.lakefs.bounds import BODY_MAX, HEADER_MAX
from lakeproof.live.lakefs.promises import IDS
from lakeproof.live.lakefs.rounds import LOOKS, ServiceReport, Traffic, drive
from lakeproof.model.snapshot import Status
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.fake_lakefs.server import fake_lakefs
from tests.live.misbehaving import ENDLESS, SLOW, Asked, Pieces, cut, gate, honest, mangled
from tests.live.runs import service as run_service
from tests.live.simple import planned_calls

MANY = int(os.environ.get("FUZZ_EXAMPLES", "200"))
"""Odd answers that are tried."""
LIMIT = 120.0
"""Seconds after which something hangs: a hundred times more than anything here takes."""
NAMESPACE = ("--storage-namespace", "mem://x")
QUICK = ("--timeout", "0.3", "--wait", "0.3", "--seconds", "0.2", "--clients", "3")


def only(answer: Callable[[], Pieces]) -> Callable[[int, str], Callable[[Asked], Pieces]]:
    return lambda number, path: lambda asked: answer()


@pytest.mark.parametrize("name", ENDLESS)
def test_an_answer_without_an_end_is_refused_when_it_is_too_long(name: str) -> None:
    with gate(only(ENDLESS[name])) as dsn:
        line = complaint(lakeproof("service", dsn, *NAMESPACE, "--timeout", "30"))
    assert line.startswith("lakefs+http://fake:***@127.0.0.1:")
    assert line.endswith("name the address of a lakeFS server, 1.0 or later")
    assert ": does not answer as a lakeFS does to http://127.0.0.1:" in line
    bounds = {
        "header lines": "more than 100 headers",  # http.client has bounds of its own for lines
        "a header line": "more than 65536 bytes when reading header line",
        "a status line": "more than 65536 bytes when reading status line",
        "100 Continue": f"a header of more than {HEADER_MAX:,} bytes",
        "a body": "a body whose end is not marked: it may have been cut off",
    }
    assert bounds.get(name, f"a body of more than {BODY_MAX:,} bytes") in line


@pytest.mark.parametrize("name", SLOW)
def test_an_answer_that_is_not_whole_in_time_is_none(name: str) -> None:
    with gate(only(SLOW[name])) as dsn:
        service = LakeFS(address(dsn), timeout=0.3, connections=1)
        with pytest.raises(urllib3.exceptions.HTTPError) as late:
            service.version()
    assert (answer_of(late.value).status, answer_of(late.value).words) == (Status.INFO, "no whole answer in time")


def test_a_timeout_longer_than_sockets_know_is_a_long_one() -> None:
    with gate(lambda number, path: honest) as dsn:
        assert LakeFS(address(dsn), timeout=1e300, connections=1).version() == "fake"


READS: dict[str, Callable[[LakeFS], object]] = {
    "version": lambda service: service.version(),
    "branches": lambda service: service.branches("p-lake"),
    "listing": lambda service: service.listing("p-lake", "main"),
    "log": lambda service: service.log("p-lake", "main", first_parent=True),
}
PLANNED = dict(
    [*planned_calls(Random(1), entries=True, count=600), *planned_calls(Random(1), entries=False, count=100)]
)
CALLS = sorted((*READS, *PLANNED))


def test_hundreds_of_odd_answers_are_values_or_answer_of() -> None:
    """Every call of the client under some misbehaviour: a value of the kind that is used, or an error that is told."""
    how = [honest, honest]  # the repository, and an entry
    with gate(lambda number, path: how[number] if 0 <= number < 2 else mangled(Random(f"{number} {path}"))) as dsn:
        founding = LakeFS(address(dsn), timeout=30, connections=1)
        founding.perform("create_repository", ("p-lake", "mem://x/r"))
        founding.perform("set_entry", ("p-lake", "main", "p", "v"))

        def case(number: int) -> None:
            service = LakeFS(address(dsn), timeout=0.2, connections=1)
            name = CALLS[number % len(CALLS)]
            try:
                value = READS[name](service) if name in READS else service.perform(name, PLANNED[name])
            except Exception as error:  # noqa: BLE001  # as the driver does
                answer = answer_of(error)
                assert answer.status in {Status.FAIL, Status.INFO}, name
                assert answer.words.isprintable(), (name, answer)
                assert 0 < len(answer.words) <= WORDS_MAX + 12, (name, answer)
                json.dumps(answer.words).encode()
            else:
                for text in texts(value):
                    text.encode()

        with ThreadPoolExecutor(8) as pool:
            futures = [pool.submit(case, number) for number in range(MANY)]
            for future in futures:
                future.result(timeout=LIMIT)


def texts(value: object) -> list[str]:
    """All text in what a call returns; it is nothing else."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*texts(list(value)), *texts(list(value.values()))]
    assert isinstance(value, list | tuple), value
    return [text for one in value for text in texts(one)]


@pytest.mark.parametrize(
    "end", ["", "HTTP/1.1 200 OK", "\r\n", "\r\nX-Odd: 1", "\r\nX-Odd: 1\r\n", "\r\n\r\n", "\r\n\r\nv"]
)
def test_content_that_was_cut_off_is_not_taken_for_shorter_content(end: str) -> None:
    begin = "" if end.startswith("H") or not end else "HTTP/1.1 200 OK"

    def answer(asked: Asked) -> Pieces:
        yield f"{begin}{end}".encode()

    with gate(lambda number, path: answer) as dsn:
        service = LakeFS(address(dsn), timeout=30, connections=1)
        with pytest.raises(Exception, match=r"cut off|without response") as error:
            service.perform("get_entry", ("lake", "main", "p"))
    assert answer_of(error.value).status is Status.INFO


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(3))
def test_a_service_that_is_right_is_not_blamed_for_its_network(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a network loses is unknown; it is no evidence against a service that is right."""
    monkeypatch.setattr("lakeproof.live.lakefs.threads.UNREACHED_SECONDS", 0.0)
    rng = Random(f"cut {seed}")
    often = rng.choice((0.02, 0.1, 0.4))

    def answering(number: int, path: str) -> Callable[[Asked], Pieces] | None:
        mine = Random(f"{seed} {number}")
        if number < 0 or mine.random() >= often:
            return honest
        return None if mine.random() < 0.1 else cut(mine)

    with gate(answering, seed) as dsn:
        service = LakeFS(address(dsn), timeout=10, connections=8)
        traffic = Traffic(Load(clients=8, seconds=math.inf, seed=seed), service, "mem://x")
        try:
            done = trio.run(drive, traffic, Plan(rounds=1, calls=250))
        except Unusable:
            return  # it could not begin
    assert done.violations == [], seed


@pytest.mark.deep
@pytest.mark.parametrize("seed", [0, 3, 4, 5])  # from early or late on, seldom or always
def test_a_run_on_a_server_that_misbehaves_ends_with_a_verdict_that_it_can_give(seed: int, tmp_path: Path) -> None:
    """A whole run on a server that misbehaves now and then from some request on."""
    rng = Random(f"run {seed}")
    first, often = rng.choice((0, 1, 5, 20, 60)), rng.choice((0.02, 0.2, 1.0))

    def answering(number: int, path: str) -> Callable[[Asked], Pieces] | None:
        mine = Random(f"{seed} {number}")
        if number < first or mine.random() >= often:
            return honest
        return None if mine.random() < 0.2 else mangled(mine)

    out = tmp_path / "out"
    with gate(answering, seed) as dsn:
        result = lakeproof("service", dsn, *NAMESPACE, *QUICK, "--seed", str(seed), "--out", str(out), "--json")
    if result.exit_code == 2:
        *progress, last = result.stderr.splitlines()
        assert (result.stdout, last[:11]) == ("", "lakeproof: ")
        assert all(line.startswith(("service: ", "lakefs+http")) for line in progress)
        return
    [line] = result.stdout.splitlines()
    found = json.loads(line)
    assert found["verdict"] == {0: "holds", 1: "violated", 3: "inconclusive"}[result.exit_code]
    if result.exit_code == 0:
        assert found["unread"] == {}
        assert all(one["checks"] and one["verdict"] == "holds" for one in found["invariants"])
    for path in found["written"]:
        assert Path(path).read_bytes().decode().isascii() or path


Answer = Callable[[Asked], Pieces] | None


@attrs.define
class Outage:
    """Down from a request on, until it was asked for its version in vain so many times. lost: what is asked then is
    done, and not answered."""

    first: int
    asked_max: int
    lost: bool = False
    down: bool = False
    asked: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def __call__(self, number: int, path: str) -> Answer:
        with self._lock:
            if number == self.first:
                self.down = True
            if not self.down:
                return honest
            self.asked += number < 0
            self.down = self.asked < self.asked_max
            return _silent if self.lost else None


def _silent(asked: Asked) -> Pieces:
    return iter(())


def driven(answering: Callable[[int, str], Answer], rounds: int = 1) -> tuple[ServiceReport, Traffic, list[str]]:
    """What came of rounds that are counted in calls, and the repositories that they have left."""
    with gate(answering) as dsn:
        service = LakeFS(address(dsn), timeout=10, connections=4)
        load = Load(clients=4, seconds=math.inf, seed=1, timeout=10)
        traffic = Traffic(load, service, "mem://lakeproof", wait=60)
        with pytest.MonkeyPatch.context() as patch:  # the outage ends when it was asked for, not with time
            patch.setattr("lakeproof.live.lakefs.rounds.ASK_SECONDS", 0.0)
            patch.setattr("lakeproof.live.lakefs.threads.UNREACHED_SECONDS", 0.0)
            done = trio.run(drive, traffic, Plan(rounds=rounds, calls=120))
        if traffic.gone or done.violations:
            return done, traffic, traffic.left
        left = service.perform("list_repositories", ("lakeproof-",))
        assert isinstance(left, tuple)
        return done, traffic, [str(each) for each in left]


@pytest.mark.deep
@pytest.mark.parametrize(("first", "lost"), [(3, False), (25, True), (40, False)])
def test_a_round_in_which_it_goes_away_and_comes_back_is_judged(first: int, lost: bool) -> None:
    outage = Outage(first, asked_max=2, lost=lost)
    done, traffic, left = driven(outage)
    assert (outage.down, outage.asked) == (False, 2)
    assert (done.violations, done.unread, done.rounds) == ([], [], 1)
    assert (left, traffic.left) == ([], [])


def test_a_service_that_has_forgotten_when_it_is_back_is_violated() -> None:
    """It is there again, but empty: what it has acknowledged before is lost."""
    outage = Outage(25, asked_max=2)

    def answering(number: int, path: str) -> Answer:
        how = outage(number, path)
        return _not_found if how is not None and number >= 0 and outage.asked else how

    done, _, _ = driven(answering)
    assert done.code == 1
    assert {violation.invariant for violation in done.violations} >= {"create-is-effective"}


def test_a_repository_of_which_the_end_is_not_answered_may_have_lost_all() -> None:
    """From the end of the round on, it fails where it is asked for a repository, and nowhere else."""
    over = threading.Event()

    def answering(number: int, path: str) -> Answer:
        if number < 0:
            over.set()
        return _failed if over.is_set() and path.rpartition("/")[0].endswith("/repositories") else honest

    done, _, _ = driven(answering)
    assert done.violations == []
    [why] = done.unread
    assert why.startswith("not answered in the end: get_repository(lakeproof-")


def _failed(asked: Asked) -> Pieces:
    yield b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def _not_found(asked: Asked) -> Pieces:
    yield b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


@pytest.mark.deep
def test_a_run_goes_on_after_a_round_that_was_not_judged_and_cleans_up_at_the_end() -> None:
    """It answers with its version always. Between the first look and the third question nothing else is answered: the
    round cannot be read, nor removed, and the next one cannot begin at first."""
    asked = [0]

    def answering(number: int, path: str) -> Answer:
        if number < 0:
            asked[0] += 1
            return honest
        return None if 1 <= asked[0] <= LOOKS else honest

    done, traffic, left = driven(answering, rounds=3)
    assert len(done.unread) == 1
    assert done.rounds > 1
    assert done.violations == []
    assert done.code == 3
    assert (left, traffic.left) == ([], [])
    assert {done.verdict(name) for name in IDS} == {"inconclusive"}


@pytest.mark.long
def test_rounds_that_are_never_judged_end_the_run() -> None:
    def answering(number: int, path: str) -> Answer:
        return None if path.endswith("/objects/ls") else honest

    done, traffic, left = driven(answering, rounds=100)
    assert (len(done.unread), done.rounds, done.code) == (UNJUDGED_MAX, UNJUDGED_MAX, 3)
    assert (left, traffic.left) == ([], [])


def test_a_service_that_stays_away_is_inconclusive_and_what_it_has_left_is_named(tmp_path: Path) -> None:
    run = ("--storage-namespace", "mem://x", "--seconds", "30", "--wait", "0.5", "--out", str(tmp_path / "out"))
    with gate(Outage(12, asked_max=10**6)) as dsn:
        result = lakeproof("service", dsn, *run, "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["verdict"] == "inconclusive"
    [(why, count)] = found["unread"].items()
    assert why.startswith("the service was gone, and did not come back within 0.5 s: ")
    assert count == 1
    assert {one["verdict"] for one in found["invariants"]} == {"inconclusive"}
    assert found["left"]
    assert result.stderr.splitlines()[-1].startswith(f"INCONCLUSIVE: 1 of {found['rounds']} round")


def test_several_servers_take_turns_and_the_history_says_which() -> None:
    with fake_lakefs(seed=1, servers=2) as dsn:
        at = address(dsn)
        client = LakeFS(at, timeout=60, connections=4)
        traffic = Traffic(Load(clients=4, seconds=math.inf, seed=1, timeout=60), client, "mem://x")
        done = trio.run(drive, traffic, Plan(rounds=1, calls=60))
    assert traffic.last is not None
    assert done.violations == []
    asked = {call.server for call in traffic.last.entries}
    assert asked == {host.removeprefix("http://").partition("/")[0] for host in at.hosts}
    assert all(call.code for call in traffic.last.entries if call.ok), "a success has a status, too"


def test_a_command_may_leave_a_server_in_the_background(tmp_path: Path) -> None:
    """It lives until this test lets it go, and has the command's stdout and stderr."""
    fifo, gone = tmp_path / "fifo", tmp_path / "gone"
    os.mkfifo(fifo)
    os.mkfifo(gone)
    server = f"(cat {shlex.quote(str(fifo))}; echo > {shlex.quote(str(gone))}) &"
    assert trio.run(restarting(shlex.join(["sh", "-c", server])), Random(0)) == RESTARTED
    fifo.write_text("")
    assert gone.read_text() == "\n"


def test_the_command_is_run_in_every_round_and_counted(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    program = f"open({str(marks)!r}, 'a').write('x')"
    restart = shlex.join([sys.executable, "-c", program])
    words = ("--rounds", "2", "--restart-with", restart, "--json", "--out", str(tmp_path / "out"))
    found = json.loads(run_service(*words, calls=None).stdout)
    assert (found["rounds"], found["faults"]) == (2, {"the server restarted": 2})
    assert marks.read_text() == "xx"
