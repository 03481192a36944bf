"""Runs the commands over damaged worlds, many in one dataset, and holds them against the answers of sound ones."""

import json
import os
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs
import pyarrow.parquet as pq
from click.testing import Result
from pyspark.sql import SparkSession

from lakeproof.running.tasks import Unusable
from lakeproof.spark_checks import runs
from lakeproof.spark_checks.dataset import open_dataset
from tests.commands import lakeproof
from tests.spark.damaged import answers
from tests.spark.damaged.answers import REFUSED, UNSURE, Answer
from tests.spark.damaged.damages import HARMLESS, SEEN_BY_ALL, Damage, do
from tests.spark.damaged.making import Shape, make, sealed, shape
from tests.spark.retention.worlds import NOW

COMMANDS: Final[Mapping[str, Callable[[dict[str, list[answers.Row]], int], Answer]]] = {
    "uncommitted": answers.uncommitted,
    "retention": answers.retention,
}
BATCH: Final = 60

UNSEEN: Final = frozenset(
    {
        *(
            (kind, table)
            for kind in ("lost", "without_rows", "a_group_lost", "foreign", "doubled")
            for table in ("kv", "metaranges", "ranges", "objects")
        ),
        ("nulled", "metaranges"),
        ("nulled", "objects"),
        ("flipped", "*"),
    }
)
"""What cannot be seen without a manifest, where it leaves no trace: damages, and tables (typed ones are as ``kv/``).
A lost record of a branch takes its staged entries with it, half a range is a range, half a listing is a listing; a
range that is null is an empty metarange. Bytes that are flipped are seen where pages have checksums."""


@attrs.frozen
class Case:
    """A world that is damaged, and still has files that are whole. ``sound``, ``there``: the answers to the rows that
    were there, and to those that are left, by command."""

    shape: Shape
    damage: Damage
    folder: Path
    sound: Mapping[str, Answer]
    there: Mapping[str, Answer]


def seeds(usual: int) -> range:
    """Of the worlds to be tried. ``LAKEPROOF_WORLDS=FIRST:COUNT`` says another range: so a long run is cut into parts,
    or goes on where it was ended."""
    told = os.environ.get("LAKEPROOF_WORLDS")
    if told is None:
        return range(usual)
    first, _, count = told.partition(":")
    return range(int(first), int(first) + int(count))


def progress(done: int, of: range, tally: Counter[str]) -> None:
    sys.stderr.write(f"{done:,} of {len(of):,} worlds: {dict(sorted(tally.items()))}\n")
    sys.stderr.flush()


def refused_if_sealed(spark: SparkSession, seed: int, scratch: Path) -> str:
    """One world. What became of it; whatever it is, it is right."""
    chance, shaped = random.Random(f"sealed {seed}"), shape(seed)
    folder, other = make(shaped, scratch / "sound"), make(shaped, scratch / "other", day=1)
    sealed(folder, hashed=True)
    damage = do(chance, shaped, folder, other)
    try:
        if damage is None:
            return "unchanged"
        said = refusal(spark, folder)
        if damage.kind in HARMLESS:
            assert said is None, (shaped, damage, said)
            return "harmless"
        assert said is not None, f"{shaped} {damage}: sealed, damaged, and read"
        assert "\n" not in said
        assert str(folder) in said
        return "refused"
    finally:
        shutil.rmtree(scratch)


def refusal(spark: SparkSession, folder: Path) -> str | None:
    try:
        open_dataset(spark, str(folder))
    except Unusable as error:
        return str(error)
    return None


def damaged(spark: SparkSession, seed: int, scratch: Path) -> Case | str:
    """One world without a manifest, that is damaged so that its files are whole; or what became of it."""
    chance, shaped = random.Random(f"unsealed {seed}"), shape(seed)
    folder, other = make(shaped, scratch / "dataset"), make(shaped, scratch / "other", day=1)
    sound = {name: answer(answers.rows(folder), NOW) for name, answer in COMMANDS.items()}
    assert REFUSED not in sound.values(), shaped
    damage = do(chance, shaped, folder, other)
    shutil.rmtree(scratch / "other")
    if damage is None:
        return "unchanged"
    seen = damage.kind in SEEN_BY_ALL and not _is_spare(shaped, damage)
    if seen or not all(_has_files(each) for each in _tables(folder)):
        assert refusal(spark, folder) is not None, (shaped, damage)
        return "refused at once"
    if damage.kind == "flipped":
        return Case(shaped, damage, folder, sound, dict.fromkeys(COMMANDS, UNSURE))
    rows = answers.rows(folder)
    there = {name: answer(rows, NOW) for name, answer in COMMANDS.items()}
    return Case(shaped, damage, folder, sound, there)


def _is_spare(shaped: Shape, damage: Damage) -> bool:
    """Whether a table is lost that typed tables stand for."""
    return shaped.decoded and (damage.kind, damage.table) == ("table_lost", "kv")


def _tables(folder: Path) -> list[Path]:
    decoded = folder / "decoded"
    return [each for each in folder.iterdir() if each != decoded] + (
        list(decoded.iterdir()) if decoded.exists() else []
    )


def _has_files(table: Path) -> bool:
    return any(table.glob("*.parquet"))


def together(cases: Sequence[Case], target: Path) -> Path:
    """One dataset of many worlds, each with its own files and names."""
    for case in cases:
        for file in case.folder.rglob("*.parquet"):
            place = target / file.relative_to(case.folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(file, place.with_name(f"{case.shape.name}-{place.name}"))
    return target


def run(command: str, dataset: Path, out: Path, name: str) -> Result:
    rules = out.parent / "rules.json"
    days = [{"branch_id": branch, "retention_days": days} for branch, days in answers.DAYS_OF.items()]
    rules.write_text(json.dumps({"default_retention_days": answers.DAYS, "branches": days}))
    more = ("--rules", str(rules)) if command == "retention" else ()
    return lakeproof("spark", command, str(dataset), *more, "--now", str(NOW), "--out", str(out), "--run", name)


def marked(folder: Path) -> Counter[str]:
    rows = pq.read_table(folder / runs.ADDRESSES, columns=["storage_namespace", "address"]).to_pylist()
    return Counter(f"{row['storage_namespace']}/{row['address']}" for row in rows)


def by_world(found: Counter[str]) -> dict[str, Counter[str]]:
    """The names of a world begin with its own."""
    parts: dict[str, Counter[str]] = {}
    for address, count in found.items():
        parts.setdefault(address.partition("://")[2].partition(".")[0], Counter())[address] = count
    return parts


def judge_together(cases: Sequence[Case], scratch: Path) -> Iterator[str]:
    """Those that are to have an answer: each has the answer to what is there, and another one than the sound world only
    where nobody can see the damage."""
    for typed in (False, True):
        for command in COMMANDS:
            mine = [each for each in cases if each.shape.decoded == typed and not isinstance(each.there[command], str)]
            if not mine:
                continue
            dataset = together(mine, scratch / f"{command}-{typed}")
            done = run(command, dataset, scratch / "out", f"{command}-{typed}")
            assert done.exit_code == 0, (command, [(each.shape, each.damage) for each in mine], done.output)
            assert "has no manifest: whether files or rows of it were lost is not known" in done.stdout
            found = by_world(marked(scratch / "out" / f"{command}-{typed}"))
            for case in mine:
                got = found.get(case.shape.name, Counter())
                assert got == case.there[command], (command, case.shape, case.damage, got, case.there[command])
                yield judged(case, command, got)


def judge_alone(case: Case, command: str, scratch: Path) -> str:
    """One that is to be refused, or whose bytes say anything: a line, or the right answer."""
    name = f"{command}-{case.shape.name}"
    done = run(command, case.folder, scratch / "out", name)
    if done.exit_code == 0:
        assert case.there[command] != REFUSED, (command, case.shape, case.damage)
        return judged(case, command, marked(scratch / "out" / name))
    assert (done.exit_code, done.stdout) == (2, ""), (command, case.shape, case.damage, done.output)
    assert not (scratch / "out" / name).exists()
    return "refused"


def judged(case: Case, command: str, got: Counter[str]) -> str:
    if got == case.sound[command]:
        return "as the sound one"
    kind, table = case.damage.kind, case.damage.table.partition("/")[0].replace("decoded", "kv")
    assert (kind, table) in UNSEEN or (kind, "*") in UNSEEN, (command, case.shape, case.damage)
    assert not (kind == "flipped" and case.shape.summed), (command, case.shape, case.damage)
    return f"another answer: {kind} {table}"
