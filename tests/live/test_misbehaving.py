"""Whatever a server does, `service` ends in time, without a traceback, and says no more than it knows."""

import json
import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
import trio
import urllib3.exceptions

from lakeproof.live.engine import Load
from lakeproof.live.lakefs.api import WORDS_MAX, LakeFS, address, answer_of
from lakeproof.live.lakefs.bounds import BODY_MAX, HEADER_MAX
from lakeproof.live.lakefs.rounds import ServicePlan, Traffic, drive
from lakeproof.model.snapshot import Status
from lakeproof.words import Unusable
from tests.commands import complaint, lakeproof
from tests.live.misbehaving import ENDLESS, SLOW, Asked, Pieces, cut, gate, honest, mangled
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
            done = trio.run(drive, traffic, ServicePlan(rounds=1, calls=250))
        except Unusable:
            return  # it could not begin
    assert done.violations == [], seed


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(8))
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
