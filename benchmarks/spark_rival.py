"""The same answers by DuckDB, from the same Parquet files: what the jobs on Spark are measured against.

Run: ``python -m benchmarks.spark_rival JOB DATASET OUT [--memory 3GB]``. The dataset has ``decoded/``. Where DuckDB's
task is easier than ours, that is in its favour: it reads only what is decoded, refuses nothing, looks for no copies,
takes one threshold for all branches, holds that all commits are reachable, and does not say which objects retention
keeps.
"""

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import duckdb

TABLES: Final = ("repositories", "branches", "tags", "commits", "staged", "cleanups")

REFERENCES: Final = """
create view physical_ranges as
    select distinct storage_namespace, range_id
    from commits join repositories on commits.partition_key = home join metaranges using (meta_range_id);
create view committed as
    select storage_namespace, path, case when contains(address, '://') then address
        else storage_namespace || '/' || address end as address
    from ranges join physical_ranges using (range_id);
create view tokens as
    select storage_namespace, branches.partition_key as home, branch_id,
        unnest(list_prepend(staging_token, sealed_tokens)) as token,
        unnest(range(1 + len(sealed_tokens))) as age
    from branches join repositories on branches.partition_key = home;
create view referred as
    select storage_namespace, home, branch_id, age, path, tombstone,
        case when address_type = 2 or (address_type = 0 and contains(address, '://')) then address
            else storage_namespace || '/' || address end as address
    from staged join tokens using (token);
create view listed as
    select storage_namespace, storage_namespace || '/' || address as address, size_bytes, last_modified,
        starts_with(address, 'data/') as data, starts_with(address, '_lakefs/') as internal
    from objects;
"""

UNCOMMITTED: Final = """
create temp table known as select distinct address from committed where address is not null;
create temp table promised as select distinct address from referred where address is not null and not tombstone;
create temp table fates as
    select storage_namespace, address, size_bytes, last_modified, case
        when known.address is not null then 'committed'
        when promised.address is not null then 'staged'
        when storage_namespace not in (select storage_namespace from repositories) then 'no-repository'
        when internal then 'internal'
        when not data then 'outside-data'
        when last_modified > (select max(last_modified) - interval 24 hours from objects) then 'too-young'
        else 'marked' end as reason
    from listed left join known using (address) left join promised using (address);
copy (select * exclude (reason) from fates where reason = 'marked') to '{out}/addresses.parquet';
copy (select hash(address) from known) to '{out}/known.parquet';
copy (
    select reason, count(*) as objects, sum(size_bytes)::bigint as bytes from fates group by reason order by reason
) to '{out}/accounts.csv';
"""

CHECKS: Final = """
create table findings (id text, subject text);
insert into findings select 'head-exists', branch_id from branches
    where commit_id <> '' and (partition_key, commit_id) not in (select (partition_key, commit_id) from commits);
insert into findings select 'head-exists', tag_id from tags
    where (partition_key, commit_id) not in (select (partition_key, commit_id) from commits);
create table edges as
    select partition_key, commit_id, generation, creation_date, unnest(parents) as parent from commits;
insert into findings select 'parents-exist', commit_id from edges
    where (partition_key, parent) not in (select (partition_key, commit_id) from commits);
insert into findings
    select 'generation-is-right', commit_id from (
        select c.partition_key, c.commit_id, c.generation, coalesce(max(p.generation), 0) as most
        from commits c left join edges e using (partition_key, commit_id)
        left join commits p on p.partition_key = e.partition_key and p.commit_id = e.parent
        group by all
    ) where generation <> most + 1;
insert into findings select 'child-is-not-older', e.commit_id
    from edges e join commits p on p.partition_key = e.partition_key and p.commit_id = e.parent
    where e.creation_date < p.creation_date;
insert into findings select 'meta-range-exists', commit_id from commits
    where meta_range_id <> '' and meta_range_id not in (select meta_range_id from metaranges);
insert into findings select 'meta-range-exists', range_id from (select distinct range_id from metaranges)
    where range_id not in (select range_id from ranges);
insert into findings select 'active-is-complete', repository_id from repositories r
    where state = 0 and not bare and (home, default_branch_id) not in (select (partition_key, branch_id) from branches);
insert into findings select 'token-has-one-owner', token from tokens group by token having count(*) > 1;
insert into findings select distinct 'staged-has-owner', token from staged
    where token not in (select token from tokens);
insert into findings select 'no-reachable-zombie', commit_id
    from commits join repositories on commits.partition_key = home where state = 0 and instance <> instance_uid;
insert into findings select 'garbage-is-reclaimable', commit_id from commits
    where partition_key not in (select home from repositories)
    and partition_key not in (select encode(repository_id || '-' || instance_uid) from cleanups);
insert into findings select 'cleanup-spares-live', c.repository_id from cleanups c join repositories r
    on c.repository_id = r.repository_id and c.instance_uid = r.instance_uid where state = 0;
insert into findings select distinct 'committed-data-is-kept', address from committed
    where starts_with(address, storage_namespace || '/') and address not in (select address from listed);
create table shown as select home, branch_id, path, arg_min(address, age) as address, storage_namespace
    from referred group by all having not arg_min(tombstone, age);
insert into findings select distinct 'staged-data-is-kept', address from shown
    where starts_with(address, storage_namespace || '/') and address not in (select address from listed);
insert into findings select 'address-has-one-entry', address from (
        select address, encode(path) as path, 0 as entry from committed group by all
        union all select address, path, row_number() over () from shown
    ) where address is not null group by address having count(distinct (path, entry)) > 1;
copy (select id, count(*) from findings group by id) to '{out}/findings.csv';
"""

ONE_THRESHOLD: Final = """
create table threshold as select max(creation_date) - 21::bigint * 86400000000 as t from commits;
create table numbered as
    select row_number() over () as id, partition_key, commit_id, creation_date, meta_range_id, parents[1] as parent
    from commits where partition_key in (select home from repositories);
create table lines as
    select c.id, p.id as up, c.creation_date from numbered c
    left join numbered p on p.partition_key = c.partition_key and p.commit_id = c.parent;
create table heads as
    select distinct id from branches b join numbered n using (partition_key, commit_id);
"""


def run(job: str, dataset: Path, out: Path, memory: str) -> float:
    """Do a job; returns seconds, without DuckDB's own start."""
    import duckdb

    out.mkdir(parents=True, exist_ok=True)
    database = duckdb.connect(str(out / "work.duckdb"))
    started = time.perf_counter()
    database.execute(f"set memory_limit = '{memory}'; set temp_directory = '{out}/spill'")
    for name in TABLES:
        database.execute(f"create view {name} as from '{dataset}/decoded/{name}/**/*.parquet'")
    for name in ("metaranges", "ranges", "objects"):
        database.execute(f"create view {name} as from '{dataset}/{name}/**/*.parquet'")
    JOBS[job](database, out)
    return time.perf_counter() - started


def _subtract(database: "duckdb.DuckDBPyConnection", out: Path) -> None:
    database.execute(REFERENCES)
    database.execute(UNCOMMITTED.format(out=out))


def _check(database: "duckdb.DuckDBPyConnection", out: Path) -> None:
    database.execute(REFERENCES)
    database.execute(CHECKS.format(out=out))


def _retain(database: "duckdb.DuckDBPyConnection", out: Path) -> None:
    """Lines by doubling: a pointer that leads one step up leads two steps after one round, then four."""
    database.execute(ONE_THRESHOLD)
    _close(database, "on_lines", "select id from heads", "true")
    starts = """
        select id from heads union
        select id from numbered, threshold where creation_date > t and id not in (select id from on_lines)
    """
    _close(database, "kept", starts, "creation_date > (select t from threshold)")
    database.execute(
        f"copy (select commit_id, id not in (select id from kept) as expired, meta_range_id from numbered) "
        f"to '{out}/commits.csv'"
    )


def _close(database: "duckdb.DuckDBPyConnection", name: str, starts: str, alive: str) -> None:
    """The commits that the starts lead to, over the steps that are alive."""
    database.execute(f"create table {name} as {starts}")
    database.execute(f"create or replace table jumps as select id, up from lines where up is not null and {alive}")
    while True:
        database.execute(f"""
            create or replace table more as
                select distinct up as id from jumps join {name} using (id) where up not in (select id from {name})
        """)
        database.execute(f"insert into {name} from more")
        database.execute("""
            create or replace table jumps as
                select one.id, two.up from jumps one join jumps two on one.up = two.id
        """)
        left = database.execute("select count(*) from jumps").fetchone()
        if left is None or not left[0]:
            return


JOBS: Final[Mapping[str, Callable[["duckdb.DuckDBPyConnection", Path], None]]] = {
    "uncommitted": _subtract,
    "check": _check,
    "retention": _retain,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--memory", default="3GB")
    asked = parser.parse_args()
    sys.stdout.write(f"{run(asked.job, asked.dataset, asked.out, asked.memory):.1f}\n")


if __name__ == "__main__":
    main()
