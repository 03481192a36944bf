"""Histories of others: what is read, what fits no model, and what a verdict says of values that nothing has written."""

import gzip
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.commands import complaint, lakeproof
from tests.histories.mangling import ARRAY, Event, as_edn, as_item, as_json, as_logged, as_text, histories

pytestmark = pytest.mark.usefixtures("in_tmp_path")


Step = tuple[int | str, str, str, object]


def checked(content: str | bytes, *options: str) -> tuple[int, str]:
    """The exit code, and all that is printed; of what is refused, its one line."""
    Path("history").write_bytes(content if isinstance(content, bytes) else content.encode())
    result = lakeproof("check", "history", *options)
    printed = complaint(result) if result.exit_code == 2 else result.output
    assert not re.search(r"None|Atom|frozenset|\('|\(\(|,\)", printed), printed  # a Python repr
    return result.exit_code, printed


def lines(*steps: Step, key: str | None = None) -> str:
    """JSON Lines."""
    return "".join(as_json(Event(process, type_, f, key, value)) for process, type_, f, value in steps)  # type: ignore[arg-type]


def maps(*steps: tuple[int, str, str, str]) -> str:
    """EDN; the values are written as they are."""
    told = "{{:process {}, :type :{}, :f :{}, :value {}}}\n"
    return "".join(told.format(*step) for step in steps)


def done(process: int | str, f: str, asked: object, told: object = ...) -> list[Step]:
    return [(process, "invoke", f, asked), (process, "ok", f, asked if told is ... else told)]


def edn_done(process: int, f: str, asked: str, told: str = "") -> list[tuple[int, str, str, str]]:
    return [(process, "invoke", f, asked), (process, "ok", f, told or asked)]


class TestWhatFitsNoModel:
    @pytest.mark.parametrize(
        ("content", "words"),
        [
            # a bank, of which only reads are left: maps are read, and written is nothing or something else
            (maps(*edn_done(0, "read", "nil", "{0 10, 1 30, 2 10}")), "a bank, or another snapshot of many keys"),
            (lines(*done(0, "write", 3), *done(1, "read", None, {"a": 1})), "no maps were written"),
            (lines(*done(0, "get", None, {"a": 1}), *done(0, "set", 3), key="k"), "use --model kv"),
            # a set
            (lines(*done(0, "write", 3), *done(0, "write", 4), *done(1, "read", None, [3, 4])), "a set or a queue"),
            (maps(*edn_done(0, "write", "3"), *edn_done(1, "read", "nil", "#{3}")), "no sets were written"),
            (lines(*done(0, "write", [1, 3]), *done(1, "read", None, 3)), "and lists were written, such as [1 3]"),
            # independent keys
            (maps(*edn_done(0, "write", "[1 3]"), *edn_done(0, "read", "[1 nil]", "[1 3]")), "use --independent"),
            (maps(*edn_done(4, "cas", '["north" nil "p"]'), *edn_done(7, "read", '["north" nil]', '["north" "p"]')),
             "use --independent"),
            (lines(*done(0, "read", ["x", None], ["x", 1])), "use --independent"),
            # several registers
            (lines(*done(0, "write", [["w", "x", 1]]), *done(1, "read", [["r", "x", None]], [["r", "x", 1]])),
             "use --model multi-register"),
            (maps(*edn_done(0, "read", "[[:r 0 nil] [:r 1 nil]]", "[[:r 0 nil] [:r 1 7]]")),
             "use --model multi-register"),
            (maps(*edn_done(0, "write", "{:a 5, :b 6}"), *edn_done(1, "read", "{:a nil}", "{:a 5}")),
             "invoked with names of registers, such as {:a nil}: write what reads and writes several as transactions"),
            # a lock that its holder may acquire again
            (lines(*done(0, "acquire", None), *done(0, "acquire", None), *done(0, "release", None)),
             "process 0 acquires twice (lines 1 and 3) and releases nothing between"),
            # a list-append
            (maps(*edn_done(0, "txn", "[[:append 1 1]]"), *edn_done(1, "txn", "[[:r 1 nil]]", "[[:r 1 [1]]]")),
             "line 1: txn of [[:append 1 1]]: histories of list-append are judged by no model here"),
        ],
        ids=range(14),
    )  # fmt: skip
    def test_is_not_judged_and_the_model_or_option_is_named(self, content: str, words: str) -> None:
        code, line = checked(content)
        assert (code, words in line) == (2, True), line

    @pytest.mark.parametrize(
        ("content", "options", "code"),
        [
            (lines(*done(0, "write", [1, 2]), *done(1, "read", None, [1, 2])), (), 0),
            (lines(*done(0, "write", {"a": 1}), *done(1, "read", None, {"a": 1})), (), 0),
            (lines(*done(0, "write", {"a": None}), *done(1, "read", {}, {"a": None})), (), 0),
            (lines(*done(0, "read", None, [])), ("--initial", "[]"), 0),
            (lines(*done(0, "cas", [[1], [2]]), *done(1, "read", None, [2])), ("--initial", "[1]"), 0),
            (lines(*done(0, "read", None, {"a": 1})), ("--model", "register"), 1),
            (lines(*done(0, "acquire", None), *done(0, "acquire", None)), ("--model", "mutex"), 1),
            (lines(*done(0, "acquire", None), *done(0, "release", None), *done(0, "acquire", None)), (), 0),
            (lines(*done(0, "acquire", None), *done(1, "release", None), *done(0, "acquire", None)), (), 0),
            (lines(*done(0, "acquire", None), *done(1, "acquire", None)), (), 1),
            (lines(*done(0, "read", "not looked at", 3), *done(0, "write", 3)), ("--initial", "3"), 0),
        ],
        ids=range(11),
    )  # fmt: skip
    def test_is_nothing_that_was_written_like_that_or_that_the_user_names(
        self, content: str, options: tuple[str, ...], code: int
    ) -> None:
        assert checked(content, *options)[0] == code


class TestSeveralRegisters:
    READ, WRITE = [["r", "x", None], ["r", "y", None]], [["w", "x", 1], ["w", "y", 2]]

    def test_reads_and_writes_are_transactions_too(self) -> None:
        whole, torn = ([["r", "x", 1], ["r", "y", y]] for y in (2, None))
        for told, code in ((whole, 0), (torn, 1)):
            content = lines(*done(0, "write", self.WRITE), *done(1, "read", self.READ, told))
            assert checked(content, "--model", "multi-register")[0] == code
        assert checked(lines(*done(0, "read", [["w", "x", 1]])), "--model", "multi-register")[0] == 0

    def test_of_independent_keys_are_different_registers(self) -> None:
        content = maps(*edn_done(0, "txn", "[1 [[:w 0 1]]]"), *edn_done(1, "txn", "[2 [[:r 0 nil]]]", "[2 [[:r 0 7]]]"))
        code, printed = checked(content, "--independent", "--json")
        objects = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
        assert (code, [(one["key"], one["verdict"]) for one in objects]) == (1, [(1, "holds"), (2, "violated")])
        assert checked(content.replace(" 7]", " nil]"), "--independent", "--nil", "nothing")[0] == 0


class TestNil:
    """What nil means: nothing, where a model knows absence; of Knossos' registers in EDN, not recorded."""

    @pytest.mark.parametrize(
        ("f", "write", "asked", "told", "unrecorded"),
        [
            ("read", "1", "nil", "nil", True),
            ("get", "1", "nil", "nil", False),
            ("txn", "[[:w 0 1]]", "[[:r 0 nil]]", "[[:r 0 nil]]", True),
        ],
    )
    def test_of_a_read_after_a_write(self, f: str, write: str, asked: str, told: str, unrecorded: bool) -> None:
        first = {"read": "write", "get": "set", "txn": "txn"}[f]
        later = edn_done(0, f, asked, told.replace("nil", "1"))  # without it, nothing would be observed
        content = maps(*edn_done(0, first, write), *edn_done(0, f, asked, told), *later)
        model = ("--model", "kv") if f == "get" else ()
        assert checked(content, *model)[0] == (0 if unrecorded else 1)
        assert checked(content, *model, "--nil", "nothing")[0] == 1
        assert checked(content, *model, "--nil", "unrecorded")[0] == 0


class TestValuesThatNothingWrote:
    @pytest.mark.parametrize(
        ("content", "line"),
        [
            (maps(*edn_done(0, "read", "nil", "0"), *edn_done(1, "write", "17")),
             "0 was never written: is it the initial value? --initial 0"),
            (lines(*done(0, "read", None, "a"), *done(1, "write", "b"), key="k"),
             '"a" was never written: is it the initial value? --initial "a"'),
            (lines(*done(0, "cas", [5, 6])), "5 was never written: is it the initial value? --initial 5"),
            (lines(*done(0, "txn", [["r", "x", None]], [["r", "x", 0]])),
             "0 was never written: is it the initial value? --initial 0"),
            (lines(*done(0, "scan", None, [["a", 7]])),
             "7 was never written: is it the initial value? --initial 7"),
            (lines(*done(0, "write", 35), *done(1, "read", None, "35"), key="shelf"),
             '"35" was never written: numbers were written and text was read'),
            (maps(*edn_done(0, "write", ":a"), *edn_done(1, "read", "nil", '"a"')),
             '"a" was never written: keywords were written and text was read'),
            (lines(*done(0, "write", "1"), *done(1, "read", None, 1)),
             "1 was never written: text was written and numbers were read"),
            (lines(*done(0, "write", 1), *done(1, "read", None, 2)), "2 was never written"),
            (maps(*edn_done(0, "read", "nil", ":a")), ":a was never written"),
            (lines(*done(0, "write", [1, 2]), *done(0, "write", [2, 3]), *done(1, "read", None, [1, 3])),
             "[1 3] was never written: if values are [KEY VALUE], use --independent"),
        ],
        ids=range(11),
    )  # fmt: skip
    def test_are_named_with_what_may_be_meant(self, content: str, line: str) -> None:
        code, printed = checked(content)
        assert (code, printed.splitlines()[-2]) == (1, line)
        assert checked(content, "--json")[0] == 1
        if "--initial" in line:
            begin = line.partition("--initial ")[2]
            assert checked(content, "--initial", begin)[0] == 0
            assert "is it the initial value" not in checked(content, "--initial", "null")[1]

    @pytest.mark.parametrize(
        ("f", "write", "asked", "told", "begin"),
        [
            ("write", 1, None, 0, "0"),
            ("set", 1, None, 0, "0"),
            ("set", 1, None, [["k", 0]], '{"k": 0}'),
            ("txn", [["w", "x", 1]], [["r", "x", None]], [["r", "x", 0]], "0"),
            ("txn", [["w", "x", 1]], [["r", "x", None]], [["r", "x", 0]], '{"x": 0}'),
        ],
        ids=range(5),
    )
    def test_the_initial_value_is_none_of_them(
        self, f: str, write: object, asked: object, told: object, begin: str
    ) -> None:
        """A stale read of it is what violates the history."""
        read = "scan" if isinstance(told, list) and f == "set" else {"write": "read", "set": "get", "txn": "txn"}[f]
        content = lines(*done(0, f, write), *done(1, read, asked, told), key="k")
        model = ("--model", "kv-scan") if read == "scan" else ()
        code, printed = checked(content, *model, "--initial", begin)
        assert (code, "never written" in printed) == (1, False)

    @pytest.mark.parametrize(
        "content",
        [
            lines(*done(0, "write", 1), *done(0, "write", 2), *done(1, "read", None, 1)),
            lines(*done(0, "put", "a"), *done(0, "append", "b"), *done(0, "put", "c"), *done(1, "get", None, "ab")),
        ],
        ids=["written", "appended"],
    )
    def test_are_not_named_where_the_value_was_written(self, content: str) -> None:
        code, printed = checked(content)
        assert (code, "never written" in printed) == (1, False)


class TestNothingObserved:
    @pytest.mark.parametrize(
        ("content", "code"),
        [
            (lines((0, "invoke", "write", 1)), 3),
            (lines((0, "invoke", "write", 1), (0, "info", "write", 1), (1, "invoke", "read", None)), 3),
            (lines((0, "invoke", "write", 1), (0, "fail", "write", 1)), 3),
            (lines((0, "invoke", "cas", [1, 2]), (0, "fail", "cas", [1, 2])), 3),
            ("INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\n", 0),
            (lines(("nemesis", "info", "kill", None)), 3),
            ("{:process :nemesis, :type :info, :f :kill}", 3),
            (lines(*done(0, "write", 1), (1, "invoke", "write", 2), key="k"), 0),  # as every checker has it
            (lines(*done(0, "write", 1), *done(1, "read", None, 1), (1, "invoke", "write", 2), key="k"), 0),
            (maps(*edn_done(0, "write", "1"), *edn_done(1, "read", "nil")), 3),
            (maps(*edn_done(0, "txn", "[[:w :x 1]]"), *edn_done(1, "txn", "[[:r :x nil]]")), 3),
            (maps(*edn_done(0, "txn", "[[:w :x 1]]"), *edn_done(1, "txn", "[[:w :x 2] [:r :x 2]]")), 0),
            (maps(*edn_done(0, "txn", "[[:w :x 1]]")), 0),
            (lines(*done(0, "write", None), *done(1, "read", None)), 3),  # as of values under another name
            (lines(*done(0, "acquire", None)), 0),
        ],
        ids=range(15),
    )
    def test_is_inconclusive(self, content: str, code: int) -> None:
        found, printed = checked(content)
        assert (found, printed.splitlines()[-1].split(":")[0]) == (code, {0: "HOLDS", 3: "INCONCLUSIVE"}[code])
        if code == 3 and "nemesis" not in content:
            assert "nothing was observed" in printed
            assert checked(content, "--json", "--html", "page.html")[0] == 3

    def test_nil_is_an_observation_where_a_key_began_with_a_value(self) -> None:
        assert checked(lines(*done(0, "read", None)), "--initial", "0")[0] == 1


class TestFormats:
    def test_the_nemesis_is_left_out_as_text(self) -> None:
        nemesis: Step = ("nemesis", "info", "start-partition", None)
        begun, ended = done(0, "write", 1)
        code, printed = checked(lines(begun, nemesis, ended, nemesis, *done(1, "read", None, 1)))
        assert (code, "4 events, 2 operations, 1 key;" in printed) == (0, True)
        assert checked(lines(*done("nemesis", "write", 1), *done(0, "read", None, 2)))[0] == 1  # a client of that name
        unknown: list[Step] = [("nemesis", type_, "write", 1) for type_ in ("invoke", "info")]
        assert checked(lines(*unknown, *done("nemesis", "read", None, 1)))[0] == 0

    def test_history_txt(self) -> None:
        content = (
            '0\t:invoke\t:write\t17\n0\t:ok\t:write\t17\n:nemesis\t:info\t:kill\t["n1" {:a 1}]\n'
            '1\t:invoke\t:read\tnil\n1\t:ok\t:read\t{}\n2\t:invoke\t:cas\t[1 2]\n2\t:fail\t:cas\t[1 2]\t[:x "a\tb"]\n'
        )
        code, printed = checked(content.replace("{}", "17"))
        assert (code, "6 events, 3 operations, 1 key; jepsen-text, cas-register" in printed) == (0, True)
        assert checked(content.replace("read\t{}", "read\t18"))[0] == 1
        assert "line 3: " in checked(content.replace(":nemesis\t:info", ":nemesis info"))[1]
        assert "line 8: 'at java.lang" in checked(content.replace("{}", "17") + "at java.lang.Thread\n")[1]
        assert "cut off" in checked(content.replace("{}", "17")[:-1])[1]

    def test_a_log_of_today_and_of_before_with_what_other_loggers_say(self) -> None:
        today = (
            "2026-02-26 23:39:01,300{{GMT}}\tINFO\t[jepsen test runner] jepsen.core: Test version 1\n"
            '{{:name "x"\n :nodes ["n1"]}}\n'
            "2026-02-26 23:39:01,300{{GMT}}\tINFO\t[jepsen worker 1] jepsen.util: 1\t:invoke\t:write\t[0 2]\n"
            "2026-02-26 23:39:01,300{{GMT}}\tWARN\t[jepsen worker 1] jepsen.db: 1\t:ok\t:write\n"
            "2026-02-26 23:39:01,301{{GMT}}\tINFO\t[jepsen worker 1] jepsen.print: 1\t:ok\t:write\t[0 2]\n"
            "java.lang.Exception: 7\n\tat jepsen.util$x.invoke(util.clj:1)\n"
            "2026-02-26 23:39:01,302{{GMT}}\tINFO\t[jepsen nemesis] jepsen.util: :nemesis\t:info\t:start\t{{:a 1}}\n"
            "2026-02-26 23:39:01,303{{GMT}}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:invoke\t:read\t[0 nil]\n"
            "2026-02-26 23:39:01,304{{GMT}}\tINFO\t[jepsen worker 0] jepsen.util: 0\t:ok\t:read\t[0 {}]\n"
            "2026-02-26 23:39:01,305{{GMT}}\tINFO\t[jepsen worker 2] jepsen.util: 2\t:invoke\t:cas\t[0 [3 4]]\n"
            "2026-02-26 23:39:01,306{{GMT}}\tINFO\t[jepsen worker 2] jepsen.util: 2\t:info\t:cas\t[0 [3 4]]\t:timeout\n"
        )
        before = re.sub(r"\S+ \S+\{\{GMT}}\t(\w+)\t\[(.*?)\] (\S+): ", r"\1 [2019-04-01 11:25:23,791] \2 - \3 ", today)
        assert "jepsen worker 1 - jepsen.util 1\t:invoke" in before
        for log in (today, before):
            for value, expected in ((2, 0), (3, 1)):
                code, printed = checked(log.format(value), "--independent")
                assert (code, "6 events, 3 operations, 1 key; jepsen-text" in printed) == (expected, True), printed
            for damage in ("0\t:ok\t:read", "x\t:ok\t:read\t[0 2]", "0 ok\t:read\t[0 2]"):
                assert "line 11: " in checked(log.replace("0\t:ok\t:read\t[0 {}]", damage).format(), "--independent")[1]

    def test_what_is_not_read_says_what_to_give_instead(self) -> None:
        assert "give history.edn or history.txt" in checked(b"JEPSEN\0\0\0\1\0\0")[1]
        assert "is a picture of Porcupine's" in checked('{"Partitions":[{"History":[]}]}')[1]
        assert "is damaged as a gzip file" in checked(gzip.compress(lines(*done(0, "write", 1)).encode())[:30])[1]

    @pytest.mark.parametrize("flat", [True, False])
    def test_a_cas_of_independent_keys(self, flat: bool) -> None:
        cas = '["north" nil "p"]' if flat else '["north" [nil "p"]]'
        for read, expected in (('"p"', 0), ('"q"', 1)):
            content = maps(*edn_done(4, "cas", cas), *edn_done(7, "read", '["north" nil]', f'["north" {read}]'))
            assert checked(content, "--independent")[0] == expected


Writer = Callable[[Sequence[Event]], bytes]


def joined(written: Callable[[Event], str], around: tuple[str, str] = ("", "")) -> Writer:
    return lambda events: f"{around[0]}{''.join(map(written, events))}{around[1]}".encode()


def independent(event: Event) -> Event:
    """With the key in the value: of a cas, flat."""
    told = event.value if isinstance(event.value, list) else [event.value]
    return attrs.evolve(event, key=None, value=[event.key or "k", *told])


WRITERS: dict[str, Writer] = {
    "json": joined(as_item, ARRAY),
    "one object after the other": joined(lambda event: json.dumps(json.loads(as_json(event)), indent=1)),
    "history.txt": joined(as_text),
    "jepsen.log": joined(as_logged),
    "BOM": lambda events: b"\xef\xbb\xbf" + joined(as_json)(events),
    "gz": lambda events: gzip.compress(joined(as_json)(events)),
    "edn": joined(as_edn),
    "edn.gz": lambda events: gzip.compress(joined(as_edn)(events)),
    "independent": joined(lambda event: as_edn(independent(event))),
    "independent history.txt": joined(lambda event: as_text(independent(event))),
}


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_history_has_one_verdict_in_all_formats(name: str, data: st.DataObject) -> None:
    events = data.draw(histories("register"))
    options = [
        "--model",
        "cas-register",
        "--nil",
        "nothing",
        "--fail",
        data.draw(st.sampled_from(["did-not-happen", "predicate-false"])),
    ]
    expected, plain = checked(joined(as_json)(events), *options)
    more = ["--independent"] if "independent" in name else []
    found, printed = checked(WRITERS[name](events), *options, *more)
    assert (found, counted(printed)) == (expected, counted(plain))


def counted(printed: str) -> list[str]:
    """How many events and operations there are, and what cannot be explained."""
    first = re.sub(r"; .*?, cas-register", "", printed.splitlines()[0])
    return [first, *re.findall(r"then no order explains (.*?) \(line", printed)]
