"""What ``migrate`` writes is what a real lakeFS reads. `LAKEPROOF_LAKEFS` names its binary."""

from pathlib import Path

import attrs
import pytest

from lakeproof.impl.migration.rows import NO_INSTANCE, Row
from lakeproof.live.lakefs.api import LakeFS, address
from lakeproof.model.catalog import ObjectEntry, encode_object_entry, identity_of
from lakeproof.model.identifiers import CommitID, RepositoryID, StagingToken, StorageNamespace
from lakeproof.model.objects import etag
from lakeproof.model.records import StagedEntry
from tests.commands import lakeproof
from tests.impl import records
from tests.impl.migration.databases import fill_sqlite
from tests.servers import BINARY, lakefs, new_database

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not Path(BINARY).is_file(), reason="LAKEPROOF_LAKEFS names no binary of lakeFS"),
]
NOW = 1_600_000_000_000_000
CONTENT = {"a/1": b"one", "a/2": b"two", "b": b"three"}
STAGED = "old-main:8f5b6d3e"


def staged(path: str, content: bytes | None) -> Row:
    if content is None:
        return Row(STAGED, StagedEntry(key=path.encode(), identity=b"", data=None))
    entry = ObjectEntry(address=f"data/{path}", e_tag=etag(content), size_bytes=len(content), last_modified=NOW)
    data = encode_object_entry(entry)
    return Row(STAGED, StagedEntry(key=path.encode(), identity=identity_of(data), data=data))


def commit(commit_id: str, *parents: str) -> Row:
    made = attrs.evolve(
        records.commit(commit_id, *parents),
        committer="me",
        message=f"the message of {commit_id[0]}",
        creation_date=NOW,
        metadata=(("key", "value"),),
        generation=1 + len(parents),
    )
    return Row("old", made)


def branch(name: str, token: str, commit_id: str) -> Row:
    return Row("old", attrs.evolve(records.branch(name, commit_id), staging_token=StagingToken(token)))


OLD = attrs.evolve(
    records.REPOSITORY,
    repository_id=RepositoryID("old"),
    storage_namespace=StorageNamespace("local://old"),
    creation_date=NOW,
    instance_uid=NO_INSTANCE,
)
FIRST, SECOND = "1" * 64, "2" * 64
ROWS: tuple[Row, ...] = (
    Row("", OLD),
    commit(FIRST),
    commit(SECOND, FIRST),
    branch("main", STAGED, SECOND),
    branch("dev", "old-dev:1", FIRST),
    Row("old", attrs.evolve(records.tag("v1"), commit_id=CommitID(FIRST))),
    *(staged(path, content) for path, content in CONTENT.items()),
    staged("gone", None),
)


def test_a_lakefs_that_is_started_on_a_migrated_store_serves_it(tmp_path: Path, postgresql_dsn: str) -> None:
    fill_sqlite(tmp_path / "old.db", ROWS)
    database = new_database(postgresql_dsn, "served")
    done = lakeproof("migrate", str(tmp_path / "old.db"), database)
    assert done.exit_code == 0, done.stderr
    for path, content in CONTENT.items():
        at = tmp_path / "block" / "old" / "data" / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(content)
    how = {"database.type": "postgres", "database.postgres.connection_string": database}
    with lakefs(tmp_path, how) as dsn:
        service = LakeFS(address(dsn), timeout=30, connections=2)

        def do(name: str, *args: str) -> object:
            return service.perform(name, ("old", *args))

        assert service.perform("list_repositories", ("",)) == (("old", "local://old"),)
        assert (sorted(service.branches("old")), do("get_tag", "v1")) == (["dev", "main"], FIRST)
        assert (do("get_branch", "main"), do("get_branch", "dev")) == (SECOND, FIRST)
        log = service.log("old", "main", first_parent=False)
        assert log == [(SECOND, "the message of 2"), (FIRST, "the message of 1")]
        assert sorted(service.listing("old", "main")) == sorted(CONTENT)
        assert {path: str(do("get_entry", "main", path)).encode() for path in CONTENT} == CONTENT
        do("set_entry", "main", "new", "four")
        do("delete_entry", "main", "b")
        made = str(do("commit", "main", "the first one after the migration"))
        assert (do("get_branch", "main"), sorted(service.listing("old", made))) == (made, ["a/1", "a/2", "new"])
        assert do("get_entry", made, "a/1") == "one"
        do("create_branch", "next", "main")
        do("set_entry", "dev", "other", "five")
        do("commit", "dev", "on dev")
        do("merge", "next", "dev")
        assert sorted(service.listing("old", "next")) == ["a/1", "a/2", "new", "other"]
        do("delete_repository")
        assert service.perform("list_repositories", ("",)) == ()
