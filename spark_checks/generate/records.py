"""The sound records, as *drafts*: tables of plain columns, from which both ``kv/`` and the typed tables are made.

`DRAFTS` says the columns. Nothing here looks at the data: every draft is a projection of indices.
"""

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from lakeproof.model.catalog import AddressType
from lakeproof.model.records import RepositoryState
from lakeproof.spark_checks.generate.ground import (
    DEFAULT_BRANCH,
    ELSEWHERE,
    Ground,
    branch_id,
    home,
    integer,
    main_commit,
    namespace,
    repository_id,
)
from lakeproof.spark_checks.generate.sizes import DAY

DRAFTS: Final[dict[str, dict[str, str]]] = {
    "repositories": {
        "repository_id": "string",
        "storage_namespace": "string",
        "default_branch_id": "string",
        "creation_date": "bigint",
        "state": "int",
        "instance_uid": "string",
        "bare": "boolean",
    },
    "branches": dict.fromkeys(("home", "branch_id", "commit_id", "staging_token", "sealed_1", "sealed_2"), "string"),
    "tags": dict.fromkeys(("home", "tag_id", "commit_id"), "string"),
    "commits": {
        "home": "string",
        "commit_id": "string",
        "creation_date": "bigint",
        "meta_range_id": "string",
        "first_parent": "string",
        "second_parent": "string",
        "generation": "int",
        "instance": "string",
        "committer": "string",
        "message": "string",
    },
    "staged": {
        "token": "string",
        "path": "string",
        "tombstone": "boolean",
        "address": "string",
        "address_type": "int",
        "size_bytes": "bigint",
        "last_modified": "bigint",
        "e_tag": "string",
        "content_type": "string",
    },
}
"""By table, its columns."""

SIZE_MAX: Final = 1 << 24
RELATIVE, FULL, BY_PREFIX = (each.value for each in (AddressType.RELATIVE, AddressType.FULL, AddressType.BY_PREFIX))


def draft(kind: str, frame: DataFrame, **columns: Column) -> DataFrame:
    """The columns of a draft, of these expressions."""
    return frame.select(*(columns[name].cast(type_).alias(name) for name, type_ in DRAFTS[kind].items()))


def repositories(ground: Ground) -> DataFrame:
    r = f.col("r")
    return draft(
        "repositories",
        ground.repositories,
        repository_id=repository_id(r),
        storage_namespace=namespace(r),
        default_branch_id=f.lit(DEFAULT_BRANCH),
        creation_date=f.col("created"),
        state=f.lit(RepositoryState.ACTIVE.value),
        instance_uid=ground.uid(r),
        bare=f.lit(False),
    )


def own_home(ground: Ground) -> Column:
    return home(repository_id(f.col("r")), ground.uid(f.col("r")))


def branches(ground: Ground) -> DataFrame:
    """The default branch is at the end of main, half of the others at the end of a feature, the rest anywhere."""
    r, b = f.col("r"), f.col("b")
    frame = ground.pieces("branches", "b")
    anywhere = ground.below("head", f.col("commits"), r, b)
    frame = with_place(ground, frame.withColumn("c", anywhere))
    tip = f.least(f.col("base") + f.col("tip"), f.col("commits") - 1)
    # A feature may be cut off by the end of the repository: its last commit is then the last one of all.
    other = f.when(b % 2 == 1, tip).otherwise(f.col("c"))
    head = f.when(b == 0, main_commit(ground, f.col("mains") - 1)).otherwise(other)
    sealed = ground.sealed(r, b)
    return draft(
        "branches",
        frame,
        home=own_home(ground),
        branch_id=branch_id(b),
        commit_id=ground.commit_id(r, head),
        staging_token=ground.token(r, b, f.lit(0)),
        sealed_1=f.when(sealed >= 1, ground.token(r, b, f.lit(1))),
        sealed_2=f.when(sealed >= 2, ground.token(r, b, f.lit(2))),
    )


def tags(ground: Ground) -> DataFrame:
    r, t = f.col("r"), f.col("t")
    name = f.concat(f.lit("v"), t.cast("string"))
    return draft(
        "tags",
        ground.pieces("tags", "t"),
        home=own_home(ground),
        tag_id=name,
        commit_id=ground.commit_id(r, ground.below("tag", f.col("commits"), r, t)),
    )


def with_place(ground: Ground, frame: DataFrame) -> DataFrame:
    """Rows with a commit ``c`` of a repository, plus the block's first commit (``base``), its main commits before
    (``mains_before``) and the columns of `history.Place`."""
    made = ground.blocks
    block, c = f.col("block"), f.col("c")
    pattern = ground.below("block", len(made.patterns), f.col("r"), block) if len(made.patterns) > 1 else f.lit(0)
    return (
        frame.withColumn("block", integer(c, made.size))
        .withColumn("base", block * made.size)
        .withColumn("mains_before", block * made.mains)
        .withColumn("place", pattern * made.size + c % made.size)
        .join(f.broadcast(ground.places), "place")
    )


def graph(ground: Ground, frame: DataFrame | None = None) -> DataFrame:
    """All commits as numbers: ``c``, ``first`` and ``second`` parent (null: none), ``generation``, ``date``, and the
    columns of `with_place`. ``frame``: only these, the plan with ``c``."""
    frame = with_place(ground, ground.pieces("commits", "c") if frame is None else frame)
    made = ground.blocks
    c, base = f.col("c"), f.col("base")
    before = base - made.size + made.mains - 1
    first = f.when(c == 0, None).otherwise(f.when(f.col("parent") < 0, before).otherwise(base + f.col("parent")))
    second = base + f.col("second")
    there = (f.col("second") >= 0) & (second < f.col("commits"))
    within = ground.below("date", f.col("step"), f.col("r"), c)
    return (
        frame.withColumn("first", first)
        .withColumn("second", f.when(there, second))
        .withColumn("generation", f.col("mains_before") + f.col("rise"))
        .withColumn("date", f.col("created") + f.col("generation") * f.col("step") + within)
    )


def ancestor(ground: Ground, steps: Column) -> Column:
    """The number of a commit's ancestor, so many first parents up; of rows of `graph`. There must be so many."""
    line = f.col("line")
    up = steps - f.size(line)
    on_main = main_commit(ground, f.col("mains_before") + f.col("fork") - up)
    return f.when(up >= 0, on_main).otherwise(f.col("base") + f.get(line, steps.cast("int")))


def window(ground: Ground) -> Column:
    """How many ranges a commit's metarange can have: those of itself and its last ancestors, but the first commit."""
    return f.least(f.lit(ground.sizes.ranges), f.col("generation") - 1)


def meta_range_id(ground: Ground) -> Column:
    """Of rows of `graph`. "" where none of the commits in the window has an object of its own."""
    oldest = ancestor(ground, window(ground) - 1)
    some = (f.col("generation") > 1) & (f.col("limit") > 0)
    made = ground.content_id("metarange", f.col("r"), f.col("c"))
    return f.when(some, f.when(oldest <= f.col("limit"), made).otherwise(f.lit(""))).otherwise(f.lit(""))


def commits(ground: Ground) -> DataFrame:
    r, c = f.col("r"), f.col("c")
    empty = ground.sizes.committed == 0
    generation = f.col("generation")
    return draft(
        "commits",
        graph(ground),
        home=own_home(ground),
        commit_id=ground.commit_id(r, c),
        creation_date=f.col("date"),
        meta_range_id=f.lit("") if empty else meta_range_id(ground),
        first_parent=f.when(f.col("first").isNotNull(), ground.commit_id(r, f.col("first"))),
        second_parent=f.when(f.col("second").isNotNull(), ground.commit_id(r, f.col("second"))),
        generation=generation,
        instance=f.when(c == 0, ground.uid(r)),  # as the flows do
        committer=f.concat(f.lit("user-"), ground.below("committer", 50, r, c).cast("string")),
        message=f.concat(f.lit("change "), generation.cast("string")),
    )


def staged_place(ground: Ground, k: Column) -> tuple[Column, Column, Column]:
    """Of staged object ``k`` of a repository: its branch, its token, and its path. Entries come in groups, one under
    each token of the branch; some of a group share a path, and the one under the open token hides the others."""
    r = f.col("r")
    b, at = k % f.col("branches"), integer(k, f.col("branches"))
    tokens = ground.sealed(r, b) + 1
    t = at % tokens
    older = (t > 0) & (ground.below("hidden", 8, r, k) == 0)
    path = f.concat_ws("/", f.lit("staged"), integer(at, tokens), f.when(older, 0).otherwise(t))
    return b, t, path


def size_bytes(ground: Ground, number: Column) -> Column:
    return ground.below("size", SIZE_MAX, number)


def staged_date(ground: Ground, number: Column) -> Column:
    """Uncommitted changes are of the last 60 days."""
    return f.lit(ground.sizes.now) - ground.below("staged date", 60 * DAY, number)


def staged(ground: Ground) -> DataFrame:
    """Entries with an object each, then tombstones, some of which hide an entry under a sealed token, then entries
    whose objects lie elsewhere. The latter two are under open tokens."""
    r, k = f.col("r"), f.col("k")
    frame = ground.pieces("entries", "k")
    object_, tombstone = k < f.col("staged"), (k >= f.col("staged")) & (k < f.col("staged") + f.col("removed"))
    at = f.when(object_, k).when(tombstone, k - f.col("staged")).otherwise(k - f.col("staged") - f.col("removed"))
    frame = frame.withColumns({"object": object_, "tombstone": tombstone, "at": at})
    object_, tombstone, at = f.col("object"), f.col("tombstone"), f.col("at")
    b, t, path = staged_place(ground, at)
    number = f.when(object_, f.col("first_staged") + at).otherwise(f.lit(ground.sizes.objects) + at * 4096 + r)
    frame = frame.withColumns({"b": b, "t": f.when(object_, t).otherwise(0), "number": number, "own_path": path})
    number, kind = f.col("number"), at % 32
    hiding = f.concat_ws("/", f.lit("staged"), integer(at, f.col("branches")), f.lit(1))
    linked = f.concat_ws("/", f.lit("linked"), at)
    own = ground.address(number)
    full = f.concat(namespace(r), f.lit("/"), own)
    outside = f.concat(f.lit(ELSEWHERE), ground.name("outside", r, at))
    own_address = f.when((kind == 2) | (kind == 3), full).otherwise(own)
    own_type = f.when((kind == 1) | (kind == 3), BY_PREFIX).when(kind == 2, FULL).otherwise(RELATIVE)
    return draft(
        "staged",
        frame,
        token=ground.token(r, f.col("b"), f.col("t")),
        path=f.when(object_, f.col("own_path")).when(tombstone, hiding).otherwise(linked),
        tombstone=tombstone,
        address=f.when(object_, own_address).when(~tombstone, outside),
        address_type=f.when(object_, own_type).when(~tombstone, f.when(at % 2 == 0, FULL).otherwise(BY_PREFIX)),
        size_bytes=f.when(~tombstone, size_bytes(ground, number)),
        last_modified=f.when(~tombstone, staged_date(ground, number)),
        e_tag=f.when(~tombstone, ground.name("etag", number)),
        content_type=f.when(at % 4 == 0, "text/csv").otherwise(""),
    )
