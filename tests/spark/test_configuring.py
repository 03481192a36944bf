"""``--conf``, and the settings on which verdicts rest: in a new session, under spark-submit, in somebody's session."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeproof.spark_checks.engine import settings
from lakeproof.spark_checks.engine.session import Options, session
from lakeproof.spark_checks.engine.settings import ON_CLUSTERS, RELIED, Relied, layer, of_classic, parse_conf, relied_on
from lakeproof.words import Unusable
from tests.commands import ROOT, complaint, lakeproof
from tests.spark.conftest import CLASSIC

MISSING = "spark.sql.files.ignoreMissingFiles"


class TestConf:
    @pytest.mark.parametrize("word", ["spark.a", "=1", "spark.a=", "spark.a 1", ""])
    def test_what_is_no_key_with_a_value_is_refused(self, word: str) -> None:
        with pytest.raises(Unusable, match="expected KEY=VALUE"):
            parse_conf([word])

    @pytest.mark.parametrize(("key", "option"), settings.OPTIONS.items())
    def test_what_is_an_option_of_ours_is_refused_and_the_option_named(self, key: str, option: str) -> None:
        with pytest.raises(Unusable, match=f"say it with {option}"):
            parse_conf([f"{key}=x"])

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
    def test_a_command_reads_all_there_although_the_session_passes_over_files(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """A file that is no Parquet: passed over, the table would be read as the rest of it."""
        spark.range(3).selectExpr("cast('h' as binary) as a").write.parquet(str(tmp_path / "data"))
        (tmp_path / "data" / "zz.parquet").write_bytes(b"PAR1 not at all PAR1")
        spark.conf.set("spark.sql.files.ignoreCorruptFiles", "true")
        try:
            schema = "a binary"
            assert spark.read.schema(schema).parquet(str(tmp_path / "data")).count() == 3
            with pytest.raises(Unusable, match="Parquet"), session() as inside:
                inside.read.schema(schema).parquet(str(tmp_path / "data")).collect()
        finally:
            spark.conf.set("spark.sql.files.ignoreCorruptFiles", "false")

    @CLASSIC
    def test_what_cannot_be_changed_any_more_is_refused(self, spark: SparkSession) -> None:
        with (
            pytest.raises(Unusable, match="cannot be set in a session that runs already"),
            session(Options(conf=(("spark.executor.memory", "4g"),))),
        ):
            pass

    @CLASSIC
    def test_what_is_wrong_and_cannot_be_set_is_refused(
        self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(RELIED, "spark.app.name", Relied("another", "it must"))
        with pytest.raises(Unusable, match=r"spark.app.name is '.*' in this session, and verdicts rest on 'another'"):
            settings.in_force(spark, RELIED)
