"""``--conf``, and the settings on which verdicts rest: in a new session, under spark-submit, in somebody's session; and
which Java is found."""

from contextlib import nullcontext
from pathlib import Path
from typing import NoReturn

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine import classic, java, settings
from lakeproof.spark_checks.engine import session as sessions
from lakeproof.spark_checks.engine.java import java_home
from lakeproof.spark_checks.engine.session import Options, session
from lakeproof.spark_checks.engine.settings import ON_CLUSTERS, RELIED, Relied, layer, of_classic, parse_conf, relied_on
from lakeproof.words import Unusable
from tests.commands import ROOT, complaint, lakeproof
from tests.spark.conftest import CLASSIC, ON_CLASSIC_TOO

MISSING = "spark.sql.files.ignoreMissingFiles"


class TestConf:
    @pytest.mark.parametrize(
        ("word", "said"),
        [
            *((word, "expected KEY=VALUE") for word in ("spark.a", "=1", "spark.a=", "spark.a 1", "")),
            *((f"{key}=x", f"say it with {option}") for key, option in settings.OPTIONS.items()),
            ("sparc.a=1", "settings begin with 'spark.'"),
        ],
    )
    def test_what_is_no_setting_or_an_option_of_ours_is_refused(self, word: str, said: str) -> None:
        with pytest.raises(Unusable, match=said):
            parse_conf([word])

    @pytest.mark.parametrize(("key", "relied"), relied_on(local=False).items())
    def test_what_verdicts_rest_on_is_refused_with_the_reason_unless_it_says_the_same(
        self, key: str, relied: Relied
    ) -> None:
        assert parse_conf([f"{key}={relied.value}"]) == ((key, relied.value),)
        with pytest.raises(Unusable) as raised:
            parse_conf([f"{key}=other"])
        assert relied.why in str(raised.value)

    @pytest.mark.parametrize("command", ["check", "uncommitted", "decode", "generate", "histories"])
    def test_a_command_refuses_it_in_one_line_and_makes_nothing(self, tmp_path: Path, command: str) -> None:
        where = (str(tmp_path / "out"),) if command == "generate" else (str(tmp_path), "--out", str(tmp_path / "out"))
        line = complaint(lakeproof("spark", command, *where, "--conf", "spark.sql.ansi.enabled=false"))
        assert line.startswith("--conf 'spark.sql.ansi.enabled=false': verdicts rest on 'true'")
        assert list(tmp_path.iterdir()) == []


def test_the_page_names_what_verdicts_rest_on() -> None:
    text = (ROOT / "docs" / "spark-engines.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `spark.")]
    for key, relied in relied_on(local=False).items():
        name = key.rpartition(".")[2]
        assert any(name in row and f"| `{relied.value}` |" in row for row in rows), key


class TestLayers:
    def test_what_spark_submit_says_goes_before_what_we_would_have_and_conf_before_both(self) -> None:
        said = {"spark.ui.enabled": "true", "spark.scheduler.mode": "FIFO"}
        found = layer(of_classic(Options()), said, (("spark.scheduler.mode", "FAIR"),), local=True)
        assert "spark.ui.enabled" not in found
        assert found["spark.scheduler.mode"] == "FAIR"
        assert found["spark.sql.adaptive.enabled"] == "true"

    def test_what_verdicts_rest_on_goes_before_all(self) -> None:
        found = layer({MISSING: "true"}, {MISSING: "true"}, ((MISSING, "true"),), local=True)
        assert found[MISSING] == "false"

    @pytest.mark.parametrize("key", ON_CLUSTERS)
    def test_rows_that_are_made_again_are_compared_on_clusters_and_only_there(self, key: str) -> None:
        here, there = Options(), Options(master="spark://host:7077")
        assert key not in layer(of_classic(here), {}, (), local=here.local)
        assert layer(of_classic(there), {key: "false"}, (), local=there.local)[key] == "true"


@ON_CLASSIC_TOO
def test_a_new_session_in_which_a_setting_is_another_is_refused(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server has its own, and not all can be set."""
    monkeypatch.setattr(sessions, "_ours", [])
    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.setattr(sessions, "_start", lambda _: nullcontext(spark))
    monkeypatch.setitem(RELIED, "spark.sql.session.timeZone", Relied("another", "it must"))
    with pytest.raises(Unusable, match=r"timeZone is 'UTC' in this session, and verdicts rest on 'another'"), session():
        pytest.fail("it was begun")


class TestASessionOfSomebodyElse:
    @CLASSIC
    def test_settings_are_right_inside_and_what_they_were_afterwards(self, spark: SparkSession) -> None:
        for key, relied in RELIED.items():
            if key.startswith("spark.sql.") and spark.conf.isModifiable(key):  # this version of Spark has it
                wrong = {"true": "false", "false": "true", "UTC": "Asia/Tokyo"}.get(relied.value, "^[.]")
                spark.conf.set(key, wrong)
                try:
                    with session() as inside:
                        assert inside is spark
                        assert inside.conf.get(key) == relied.value
                    assert spark.conf.get(key) == wrong
                finally:
                    spark.conf.set(key, relied.value)

    @CLASSIC
    def test_what_cannot_be_changed_any_more_is_refused(self, spark: SparkSession) -> None:
        with (
            pytest.raises(Unusable, match="cannot be set in a session that runs already"),
            session(Options(conf=(("spark.executor.memory", "4g"),))),
        ):
            pass


def fake_java(folder: Path, version: str, code: int) -> None:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\nexit {code}\n", encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("version", "code", "words"),
    [
        ("1.8.0_392", 0, "is Java 8: Spark wants 17 or newer"),
        ("11.0.2", 0, "is Java 11"),
        ("17", 1, "which does not run \\(it says: openjdk version"),
        (None, 0, "which does not run \\(.*No such file"),
        ("", 0, "found neither by JAVA_HOME nor on the PATH"),
    ],
)
def test_a_java_that_will_not_do_is_one_line_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str | None, code: int, words: str
) -> None:
    if version:
        fake_java(tmp_path, version, code)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("JAVA_HOME", "" if version == "" else str(tmp_path))
    with pytest.raises(Unusable, match=f"{words}.*; install Java 17 or newer, or set JAVA_HOME"):
        java_home()


def test_a_start_that_fails_without_a_word_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(settings.GATEWAY, raising=False)
    monkeypatch.setattr(java, "java_home", lambda: "/java")
    for name in ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"):
        monkeypatch.setenv(name, "as it was")
    monkeypatch.setattr(SparkSession.Builder, "getOrCreate", fail)
    with pytest.raises(Unusable, match=r"did not start on this machine \(OSError\)") as refused:
        classic.start(Options(engine="classic"))
    Path(str(refused.value).partition("see ")[2].partition(",")[0]).unlink()


def fail(_: object) -> NoReturn:
    raise OSError
