"""Generated datasets: sound but for what is planted, of the sizes asked for, the same however they were made."""

from collections import Counter
from pathlib import Path

import pytest

from lakeproof.impl.codec import decode_at, encode
from lakeproof.model.catalog import decode_object_entry, encode_object_entry, identity_of
from lakeproof.model.records import Repository, RepositoryState, StagedEntry
from lakeproof.spark_checks.checks.catalogue import BY_ID
from lakeproof.spark_checks.engine.tables import AT_REST
from lakeproof.spark_checks.generate.sizes import OUTSIDE_EVERY, TOMBSTONE_EVERY
from tests.spark.generate.reading import COUNTS, SMALL, Small, listed, rows, small

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def in_memory(sound: Path) -> Small:
    return small(sound)


class TestSound:
    def test_records_are_encoded_as_the_codec_does(self, in_memory: Small) -> None:
        kinds: Counter[type] = Counter()
        for address, value in in_memory.kv.items():
            record = decode_at(*address, value)
            assert record is not None
            assert encode(record) == value
            kinds[type(record)] += 1
            if isinstance(record, StagedEntry) and record.data is not None:
                assert encode_object_entry(decode_object_entry(record.data)) == record.data
                assert identity_of(record.data) == record.identity
        assert len(kinds) == 6

    def test_the_sizes_are_those_asked_for(self, in_memory: Small, sound: Path) -> None:
        objects = rows(sound / "objects")
        addresses = [(row["storage_namespace"], row["address"]) for row in objects]
        assert len(set(addresses)) == len(addresses)
        assert sum(str(address).startswith("data/") for _, address in addresses) == SMALL.objects
        committed = {address for held in in_memory.ranges.values() for _, address in held}
        inside = {each for each in committed if not each.startswith("s3://elsewhere/")}
        assert len(inside) == SMALL.committed
        assert len(inside) < len(committed)
        found = [decode_at(*address, value) for address, value in in_memory.kv.items()]
        live = [each for each in found if isinstance(each, Repository) and each.state is RepositoryState.ACTIVE]
        assert len([each for each in live if not each.bare]) == SMALL.repositories
        staged = [each for each in found if isinstance(each, StagedEntry)]
        assert len(staged) == SMALL.staged + sum(
            count // TOMBSTONE_EVERY + count // OUTSIDE_EVERY for count in self.of_repositories(in_memory)
        )

    def of_repositories(self, in_memory: Small) -> list[int]:
        """How many staged entries with an object of theirs each repository has."""
        found: Counter[bytes] = Counter()
        for (partition, _), value in in_memory.kv.items():
            if b":" in partition:
                record = decode_at(partition, _, value)
                assert isinstance(record, StagedEntry)
                if record.data is not None and "elsewhere" not in decode_object_entry(record.data).address:
                    found[partition.split(b":")[1].split(b".")[0]] += 1
        return list(found.values())


class TestPlanted:
    def test_as_many_are_planted_of_each_id_as_were_asked_for(self, planted: Path) -> None:
        told = Counter(line["id"] for line in listed(planted))
        # No generation fits where a commit's parent is its child: of a pair one is wrong, as is a cycle of one.
        cycles = COUNTS["commits-have-no-cycle"]
        assert told == Counter(COUNTS) + Counter({"generation-is-right": cycles // 2 + cycles % 2})
        assert told.keys() == BY_ID.keys()

    def test_the_rest_is_as_without_them_and_as_in_other_partitions(self, sound: Path, planted: Path) -> None:
        """The sound one was made in one partition, this one in three."""
        for name in AT_REST:
            before, after = (Counter(tuple(row.values()) for row in rows(where / name)) for where in (sound, planted))
            lost = COUNTS["committed-data-is-kept"] + COUNTS["staged-data-is-kept"] if name == "objects" else 0
            assert (before - after).total() == lost, name
            if name in ("metaranges", "ranges"):
                assert before == after
            assert len(before) > 100
