"""The explorer: states by their paths, who is answered, what the command refuses; and the same in Debian's Chromium."""

import http.client
import json
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakeproof.search.setup import prepare
from lakeproof.search.world import World
from lakeproof.show.pages.explorer import Explorer
from lakeproof.show.pages.explorer_page import explorer_page
from lakeproof.show.pages.walk import NoSuchMove, name_of
from lakeproof.verify.loader import Source
from tests.commands import RACING, complaint, lakeproof, spawned
from tests.racing import ATOMIC, FAULTY, LOST_UPDATE
from tests.show.browser import Browser
from tests.show.test_page import LOOKS, check_fit

pytestmark = pytest.mark.xdist_group("chromium")

RACES = Explorer(LOST_UPDATE, Source(RACING), 5.0)
VIOLATED = "a,b,a,b"


def rows(explorer: Explorer, path: str, name: str) -> list[dict[str, object]]:
    return cast("list[dict[str, object]]", explorer.state(path)[name])


class TestState:
    @settings(max_examples=15)
    @given(st.data())
    def test_every_path_of_options_leads_to_the_state_of_the_world(self, data: st.DataObject) -> None:
        explorer, world, path = Explorer(FAULTY, Source(None), 5.0), World(prepare(FAULTY)), ""
        for _ in range(data.draw(st.integers(0, 8))):
            options = rows(explorer, path, "options")
            assert [option["name"] for option in options] == list(map(name_of, world.moves()))
            if not options:
                break
            at = data.draw(st.integers(0, len(options) - 1))
            path = str(options[at]["path"])
            world.step(world.moves()[at])
        budgets = {str(row["name"]).replace(" ", "_"): row["left"] for row in rows(explorer, path, "budgets")}
        assert budgets.pop("clock_jumps") == len(FAULTY.faults.clock_jumps) - world.jumps
        assert budgets == {kind: left for kind, left in world.left.items() if getattr(FAULTY.faults, kind)}

    def test_an_invariant_is_violated_only_from_its_step_on_and_never_said_to_be_proved(self) -> None:
        found = [rows(RACES, path, "invariants")[0]["state"] for path in ("", "a,b,a", VIOLATED, "a,a,b,b")]
        assert found == ["not tested yet", "not tested yet", "violated", "holds here"]
        assert rows(RACES, VIOLATED, "invariants")[0]["step"] == 4

    @pytest.mark.parametrize("path", ["c", "a,a,a", "a.crash", "clock", "A", "a,,b"])
    def test_a_path_that_cannot_be_walked_is_refused(self, path: str) -> None:
        with pytest.raises(NoSuchMove):
            RACES.state(path)

    def test_a_path_without_end_is_refused_before_it_is_walked(self) -> None:
        with pytest.raises(NoSuchMove, match="at most 2,000 are walked"):
            RACES.state(",".join("a" * 2001))


def test_a_search_that_is_cut_off_proves_nothing() -> None:
    explorer = Explorer(ATOMIC, Source(None), 5.0)
    explorer.task = attrs.evolve(explorer.task, states_max=2)
    found = explorer.search()
    assert "stopped: " in str(found["summary"])
    verdicts = cast("dict[str, dict[str, object]]", found["verdicts"])
    assert {row["verdict"] for row in verdicts.values()} == {"inconclusive"}


def test_no_name_of_a_scenario_is_markup() -> None:
    shown = explorer_page(attrs.evolve(LOST_UPDATE, name="<script>x</script>{0}"))
    assert "<script>x" not in shown
    assert "&lt;script&gt;x&lt;/script&gt;{0}" in shown


def at_address(*options: str) -> Iterator[str]:
    """The address of a server, which Ctrl-C ends without a traceback."""
    process = spawned("explore", "lost-update", *options, "--from", str(RACING))
    try:
        yield started(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=600)
        assert (process.returncode, err) == (0, "ended\n")
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    yield from at_address()


@pytest.fixture(scope="module")
def served(address: str) -> tuple[int, str]:
    """A port and a token."""
    _, _, host, token, *_ = address.split("/")
    return int(host.rpartition(":")[2]), token


def started(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.endswith(" in a browser; Ctrl-C ends it\n"), line
    return line.split(" open ")[1].split(" ")[0]


def asked(port: int, target: str, method: str = "GET", host: str = "") -> tuple[int, str, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request(method, target, headers={"Host": host or f"127.0.0.1:{port}"})
    answer = connection.getresponse()
    found = answer.status, answer.read().decode(), {name.lower(): value for name, value in answer.getheaders()}
    connection.close()
    return found


class TestServing:
    def test_with_token_and_host_states_are_answered(self, served: tuple[int, str]) -> None:
        port, token = served
        status, body, headers = asked(port, f"/{token}/state?path=a,b")
        assert (status, len(json.loads(body)["steps"])) == (200, 2)
        assert headers["cache-control"] == "no-store"
        assert asked(port, f"/{token}/state?path=", host=f"LOCALHOST:{port}")[0] == 200

    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:{port}.evil.example"]
    )
    def test_a_foreign_host_is_refused_even_with_the_token(self, served: tuple[int, str], host: str) -> None:
        port, token = served
        status, body, _ = asked(port, f"/{token}/state?path=", host=host.format(port=port))
        assert status == 403
        assert "steps" not in body

    @pytest.mark.parametrize("prefix", ["", "/x", "/{most}", "/{token}x", "//{token}", "/%ff", "/state", "/x/{token}"])
    @pytest.mark.parametrize("rest", ["/", "/state?path=", "/trace?path=&invariant=x"])
    def test_without_the_token_nothing_is_answered(self, served: tuple[int, str], prefix: str, rest: str) -> None:
        port, token = served
        status, body, _ = asked(port, prefix.format(token=token, most=token[:-1]) + rest)
        assert status == 403
        assert "the token is missing or wrong" in body

    @pytest.mark.parametrize(
        ("method", "rest", "status"),
        [
            ("GET", "nothing", 404),
            ("GET", "state/more", 404),
            ("POST", "state?path=", 404),
            ("GET", "search", 404),
            ("DELETE", "", 404),
            ("GET", "state?path=a,a,a,a", 422),
            ("GET", "state?path=%3Cscript%3E", 422),
            ("GET", "trace?path=a&invariant=increments-count", 422),
        ],
    )
    def test_what_is_not_there_is_refused_and_the_server_goes_on(
        self, served: tuple[int, str], method: str, rest: str, status: int
    ) -> None:
        port, token = served
        assert asked(port, f"/{token}/{rest}", method)[0] == status
        assert asked(port, f"/{token}/state")[0] == 200

    def test_it_listens_on_loopback_only(self, served: tuple[int, str]) -> None:
        wanted = f":{served[0]:04X}"
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        listening = [line[1] for line in lines if line[1].endswith(wanted) and line[3] == "0A"]
        assert listening == [f"0100007F{wanted}"]

    def test_a_search_is_run_once_and_leads_to_what_violates(self, served: tuple[int, str]) -> None:
        port, token = served
        first, second = (asked(port, f"/{token}/search", "POST")[1] for _ in range(2))
        assert first == second
        path = json.loads(first)["verdicts"]["increments-count"]["path"]
        assert rows(RACES, path, "invariants")[0]["state"] == "violated"


class TestCommand:
    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            (["counters"], "'counters' names 3 scenarios: counters/lost-update, counters/known"),
            (["none-such"], "no scenario matches 'none-such'"),
            (["lost-update", "--path", "a,c"], "step 2, c: it is not possible there; possible: a, b"),
            (["lost-update", "--path", "x!"], "is no move"),
        ],
    )
    def test_what_cannot_be_walked_is_one_line(self, arguments: list[str], told: str) -> None:
        assert told in complaint(lakeproof("explore", *arguments, "--from", str(RACING)))

    def test_a_port_that_is_taken_is_one_line(self, served: tuple[int, str]) -> None:
        taken = ["--port", str(served[0])]
        for command in (["explore", "lost-update", "--from", str(RACING)], ["gate", "serve", "s3"]):
            assert "choose another port" in complaint(lakeproof(*command, *taken))


class TestTour:
    def test_a_tour_needs_a_violation_to_lead_to(self) -> None:
        assert "nothing is violated" in complaint(lakeproof("explore", "atomic", "--demo", "--from", str(RACING)))

    def test_a_scenario_that_cannot_be_searched_is_not_said_to_hold(self, in_tmp_path: Path) -> None:
        file = in_tmp_path / "broken.py"
        file.write_text(
            "from lakeproof import Call, Eventually, Scenario\n"
            "async def fill(env): raise ImportError('records need protobuf')\n"
            "promise = Eventually(id='p', meaning='', check=lambda snapshot: ())\n"
            "SCENARIOS = [Scenario(name='s', setup=[Call(fill)], clients=[[Call(fill)]], invariants=[promise])]\n"
        )
        said = complaint(lakeproof("explore", "s", "--demo", "--from", str(file)))
        assert "records need protobuf" in said
        assert "nothing is violated" not in said

    def test_a_scenario_is_named_or_the_demo_is(self) -> None:
        assert "name a SCENARIO, or say --demo" in complaint(lakeproof("explore"))


JUMPS = "return new Promise((d) => (function f() { document.querySelector('.jump') ? d() : setTimeout(f, 20) })())"
"""Waits until a search has found a violation."""


def steps(browser: Browser, count: int) -> str:
    """Wait until so many steps are shown; the last one."""
    shown = """
    const [count] = arguments;
    return new Promise((done) => (function look() {
      const rows = document.querySelectorAll('#taken li');
      const ready = rows.length === count && !document.getElementById('main').hidden;
      if (ready) done(count ? rows[count - 1].innerText : ''); else setTimeout(look, 20);
    })());"""
    return str(browser.run(shown, count))


def problem(browser: Browser) -> str:
    """Wait until the page says what is wrong."""
    said = "const f = () => document.getElementById('problem').innerText"
    return str(
        browser.run(f"{said}; return new Promise((d) => (function g() {{ f() ? d(f()) : setTimeout(g, 20) }})())")
    )


def path(browser: Browser) -> str:
    return str(browser.run("return location.hash"))


def test_steps_are_taken_by_click_and_key_and_back_and_the_address_follows(browser: Browser, address: str) -> None:
    browser.open_address(address)
    steps(browser, 0)
    browser.click("#options li:nth-child(1) button")
    assert "a reads counters/n: not found" in steps(browser, 1)
    browser.press("2")
    assert "b reads counters/n: not found" in steps(browser, 2)
    assert path(browser) == "#a,b"
    browser.press("u")
    steps(browser, 1)
    browser.run("history.back()")
    steps(browser, 2)
    browser.click("#begin")
    steps(browser, 0)
    assert browser.log() == []


def test_a_shared_address_opens_the_violation_and_says_which(browser: Browser, address: str) -> None:
    browser.open_address(f"{address}#a,b,a,b")
    assert "violates increments-count" in steps(browser, 4)
    assert "violated at step 4" in browser.text("#judged")
    assert browser.text("#command").endswith("--path a,b,a,b")
    browser.click("#taken li:nth-child(2) button")
    steps(browser, 2)
    assert "violated" not in browser.text("#judged")


def test_a_search_leads_to_the_violation(browser: Browser, address: str) -> None:
    browser.open_address(address)
    steps(browser, 0)
    browser.click("#search")
    browser.run(JUMPS)
    browser.click(".jump")
    assert "violates increments-count" in steps(browser, 4)


def test_a_path_that_cannot_be_walked_is_said_and_left_by_another(browser: Browser, address: str) -> None:
    browser.open_address(f"{address}#a,z")
    assert re.search("is no move|not possible", problem(browser))
    browser.run("location.hash = 'a'")
    steps(browser, 1)
    assert browser.run("return document.getElementById('problem').hidden") is True


@LOOKS
def test_it_fits_its_window_and_axe_finds_nothing(browser: Browser, address: str, width: int, dark: bool) -> None:
    browser.look(width=width, dark=dark)
    browser.open_address(f"{address}#a,b,a,b")
    steps(browser, 4)
    check_fit(browser, width)


@pytest.fixture(scope="module")
def tour() -> Iterator[str]:
    yield from at_address("--demo")


def test_the_tour_leads_from_the_beginning_to_the_violation(browser: Browser, tour: str) -> None:
    browser.open_address(tour)
    seen = []
    while True:
        seen.append(browser.text("#tour li:not([hidden])"))
        if browser.run("return document.getElementById('tour-next').disabled"):
            break
        browser.click("#tour-next")
    assert len(seen) == len(set(seen)) == 7
    assert "violates increments-count" in steps(browser, 4)
    browser.click("#tour-end")
    assert browser.run("return document.getElementById('tour')") is None


@LOOKS
def test_the_tour_fits(browser: Browser, tour: str, width: int, dark: bool) -> None:
    browser.look(width=width, dark=dark)
    browser.open_address(tour)
    steps(browser, 0)
    check_fit(browser, width)
