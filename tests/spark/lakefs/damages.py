"""Twenty damages, each planted in a repository of its own, and what must be said of each: id, and subject."""

from collections.abc import Callable, Iterator

from lakeproof.impl.codec import encode
from lakeproof.spark_checks.generate.records import tag
from tests.spark.lakefs.tables import Part
from tests.spark.lakefs.world import C1, C2, C3, Installation, Repo

Said = tuple[str, str]
Damage = Callable[[Repo], Iterator[Said]]


def head_without_commit(repo: Repo) -> Iterator[Said]:
    repo.branch("feature", "e" * 64)
    yield "head-exists", f"{repo.home} branches/feature"


def tag_without_commit(repo: Repo) -> Iterator[Said]:
    repo.tag("v2", "e" * 64)
    yield "head-exists", f"{repo.home} tags/v2"


def torn_tag(repo: Repo) -> Iterator[Said]:
    repo.lake.put(repo.home, "tags/v1", encode(tag("v1", C1))[:-9])
    yield "record-is-decodable", f"{repo.home} tags/v1"


def torn_branch(repo: Repo) -> Iterator[Said]:
    repo.lake.put(repo.home, "branches/dev", b"\x0a\xff")
    yield "record-is-decodable", f"{repo.home} branches/dev"


def torn_entry(repo: Repo) -> Iterator[Said]:
    repo.lake.put(repo.token("main"), "new", b"\x0a\x03new\x12\x01i\x1a\x02\x0a\x09")
    yield "record-is-decodable", f"{repo.token('main')} new"


def record_of_another_name(repo: Repo) -> Iterator[Said]:
    repo.lake.put(repo.home, "tags/v3", tag("v1", C1))
    yield "key-names-record", f"{repo.home} tags/v3"


def lost_default_branch(repo: Repo) -> Iterator[Said]:
    del repo.lake.rows[repo.home.encode(), b"branches/main"]
    yield "active-is-complete", repo.home


def shared_token(repo: Repo) -> Iterator[Said]:
    repo.branch("feature", C2, token=repo.token("main"))
    yield "token-has-one-owner", repo.token("main")


def sealed_token_of_another(repo: Repo) -> Iterator[Said]:
    repo.branch("feature", C2, sealed=(repo.token("dev"),))
    yield "token-has-one-owner", repo.token("dev")


def live_token_to_be_dropped(repo: Repo) -> Iterator[Said]:
    repo.lake.put("cleanup-tokens", repo.token("main"), b"stub-value")
    yield "cleanup-spares-live", repo.token("main")


def wrong_generation(repo: Repo) -> Iterator[Said]:
    repo.commit(C3, repo.metarange, (C2,), 7)
    yield "generation-is-right", f"{repo.home} commits/{C3}"


def lost_parent(repo: Repo) -> Iterator[Said]:
    repo.commit(C3, repo.metarange, (C2, "e" * 64), 3)
    yield "parents-exist", f"{repo.home} commits/{C3}"


def cycle(repo: Repo) -> Iterator[Said]:
    repo.commit(C1, repo.metarange, (C3,), 1)
    for each in (C1, C2, C3):
        yield "commits-have-no-cycle", f"{repo.home} commits/{each}"
    yield "generation-is-right", f"{repo.home} commits/{C1}"


def lost_metarange(repo: Repo) -> Iterator[Said]:
    del repo.lake.files[f"{repo.name}/_lakefs/{repo.metarange}"]
    yield from _unreadable(repo, repo.metarange)


def _unreadable(repo: Repo, table: str) -> Iterator[Said]:
    """Both commits that need it, and the table itself."""
    for commit_id in (C2, C3):
        for each in ("meta-range-exists", "committed-data-is-kept"):
            yield each, f"{repo.home} commits/{commit_id}"
    yield "table-is-sound", f"{repo.namespace}/_lakefs/{table}"


def lost_range(repo: Repo) -> Iterator[Said]:
    table = repo.ranges[1].id
    del repo.lake.files[f"{repo.name}/_lakefs/{table}"]
    yield from _unreadable(repo, table)


def flipped_block(repo: Repo) -> Iterator[Said]:
    table = repo.ranges[1].id
    path = f"{repo.name}/_lakefs/{table}"
    file = repo.lake.files[path]
    repo.lake.files[path] = file[:9] + bytes([file[9] ^ 4]) + file[10:]
    yield from _unreadable(repo, table)


def cut_table(repo: Repo) -> Iterator[Said]:
    path = f"{repo.name}/_lakefs/{repo.metarange}"
    repo.lake.files[path] = repo.lake.files[path][:-60]
    yield from _unreadable(repo, repo.metarange)


def table_of_another_content(repo: Repo) -> Iterator[Said]:
    """A whole table, under the name of another one."""
    table = repo.ranges[1].id
    repo.lake.files[f"{repo.name}/_lakefs/{table}"] = repo.lake.files[f"{repo.name}/_lakefs/{repo.ranges[0].id}"]
    yield from _unreadable(repo, table)


def range_for_metarange(repo: Repo) -> Iterator[Said]:
    repo.commit(C3, repo.ranges[0].id, (C2,), 3)
    yield "meta-range-exists", f"{repo.home} commits/{C3}"
    yield "committed-data-is-kept", f"{repo.home} commits/{C3}"
    yield "table-is-sound", f"{repo.namespace}/_lakefs/{repo.ranges[0].id}"


def metarange_that_says_otherwise(repo: Repo) -> Iterator[Said]:
    first = repo.ranges[0]
    repo.commit(C3, repo.meta([Part(first.id, first.first, first.last, first.count + 1)]), (C2,), 3)
    yield "table-is-sound", f"{repo.namespace}/_lakefs/{first.id}"


def lost_object(repo: Repo) -> Iterator[Said]:
    del repo.lake.files[f"{repo.name}/{repo.address('a/2')}"]
    yield "committed-data-is-kept", f"{repo.namespace}/{repo.address('a/2')}"


def lost_staged_object(repo: Repo) -> Iterator[Said]:
    del repo.lake.files[f"{repo.name}/{repo.address('s/new')}"]
    yield "staged-data-is-kept", f"{repo.namespace}/{repo.address('s/new')}"


def cut_object(repo: Repo) -> Iterator[Said]:
    repo.lake.files[f"{repo.name}/{repo.address('b/3')}"] = b""
    yield "object-is-whole", f"{repo.namespace}/{repo.address('b/3')}"


def cut_staged_object(repo: Repo) -> Iterator[Said]:
    repo.lake.files[f"{repo.name}/{repo.address('s/new')}"] = b"xx"
    yield "object-is-whole", f"{repo.namespace}/{repo.address('s/new')}"


def torn_commit(repo: Repo) -> Iterator[Said]:
    repo.lake.put(repo.home, f"commits/{C3}", b"\x0a\x40" + b"3" * 20)
    yield "record-is-decodable", f"{repo.home} commits/{C3}"
    yield "head-exists", f"{repo.home} branches/main"
    yield "active-is-complete", repo.home


def only_in_another_namespace(repo: Repo) -> Iterator[Said]:
    """A range that two repositories have, for both have imported the same; here it was lost."""
    other = Repo(repo.lake, f"{repo.name}-twin", prefix=repo.name).build()
    table = repo.ranges[0].id
    assert table == other.ranges[0].id
    del repo.lake.files[f"{repo.name}/_lakefs/{table}"]
    yield "table-is-sound", f"{repo.namespace}/_lakefs/{table}"


DAMAGES: tuple[Damage, ...] = (
    head_without_commit,
    tag_without_commit,
    torn_tag,
    torn_branch,
    torn_entry,
    torn_commit,
    record_of_another_name,
    lost_default_branch,
    shared_token,
    sealed_token_of_another,
    live_token_to_be_dropped,
    wrong_generation,
    lost_parent,
    cycle,
    lost_metarange,
    lost_range,
    flipped_block,
    cut_table,
    table_of_another_content,
    range_for_metarange,
    metarange_that_says_otherwise,
    lost_object,
    lost_staged_object,
    cut_object,
    cut_staged_object,
    only_in_another_namespace,
)


def plant(lake: Installation) -> dict[str, set[Said]]:
    """Each damage in a repository of its own; what is to be said, by the name of the damage."""
    found = {}
    for number, damage in enumerate(DAMAGES):
        repo = Repo(lake, f"r{number:02}").build()
        found[damage.__name__] = set(damage(repo))
    return found
