"""Damages, each planted in a repository of its own, and what must be said of each: id, and subject."""

from collections.abc import Callable, Iterable
from typing import Final

from lakeproof.impl.codec import encode
from lakeproof.spark_checks.generate.records import repository, tag
from tests.spark.lakefs.tables import Part
from tests.spark.lakefs.world import C1, C2, C3, Installation, Repo

Said = tuple[str, str]
GONE: Final = "e" * 64
"""A commit without a record."""


def _lose(repo: Repo, path: str) -> None:
    del repo.lake.files[f"{repo.name}/{path}"]


def _change(repo: Repo, path: str, change: Callable[[bytes], bytes]) -> None:
    at = f"{repo.name}/{path}"
    repo.lake.files[at] = change(repo.lake.files[at])


def _say_otherwise(repo: Repo) -> None:
    first = repo.ranges[0]
    repo.commit(C3, repo.meta([Part(first.id, first.first, first.last, first.count + 1)]), (C2,), 3)


def _lose_what_another_has(repo: Repo) -> None:
    """A range that two repositories have, for both have imported the same; here it is lost."""
    other = Repo(repo.lake, f"{repo.name}-twin", prefix=repo.name).build()
    assert repo.ranges[0].id == other.ranges[0].id
    _lose(repo, f"_lakefs/{repo.ranges[0].id}")


def _cut_what_another_commit_needs(repo: Repo) -> None:
    """No head leads to the other."""
    _change(repo, f"_lakefs/{repo.metarange}", lambda file: file[:-60])
    repo.commit(GONE, repo.metarange, (C2,), 3)


def _leave_a_torn_branch(repo: Repo) -> None:
    """It was not created bare."""
    for at in [at for at in repo.lake.rows if at[0] == repo.home.encode()]:
        del repo.lake.rows[at]
    repo.lake.put(repo.home, "branches/main", b"\x0a\xff")


def _unreadable(table: str) -> list[Said]:
    """Of both commits that need a table, and of the table itself."""
    ids = ("meta-range-exists", "committed-data-is-kept")
    commits = [(each, f"{{home}} commits/{commit_id}") for commit_id in (C2, C3) for each in ids]
    return [*commits, ("table-is-sound", f"{{namespace}}/_lakefs/{table}")]


DAMAGES: Final[dict[str, tuple[Callable[[Repo], object], list[Said]]]] = {
    "a head without a commit": (
        lambda repo: repo.branch("feature", GONE),
        [("head-exists", "{home} branches/feature")],
    ),
    "a tag without a commit": (lambda repo: repo.tag("v2", GONE), [("head-exists", "{home} tags/v2")]),
    "a torn tag": (
        lambda repo: repo.lake.put(repo.home, "tags/v1", encode(tag("v1", C1))[:-9]),
        [("record-is-decodable", "{home} tags/v1")],
    ),
    "a torn branch": (
        lambda repo: repo.lake.put(repo.home, "branches/dev", b"\x0a\xff"),
        [("record-is-decodable", "{home} branches/dev")],
    ),
    "a branch without its commit": (
        lambda repo: repo.branch("feature", ""),
        [("record-is-decodable", "{home} branches/feature")],
    ),
    "a tag without its commit": (
        lambda repo: repo.tag("v2", ""),
        [("record-is-decodable", "{home} tags/v2")],
    ),
    "a repository without its uid": (
        lambda repo: repo.lake.put("graveler", f"repos/{repo.name}", repository(repo.name, "")),
        [("record-is-decodable", "graveler repos/{name}")],
    ),
    "a torn entry": (
        lambda repo: repo.lake.put(repo.token("main"), "new", b"\x0a\x03new\x12\x01i\x1a\x02\x0a\x09"),
        [("record-is-decodable", "{main} new")],
    ),
    "a torn commit": (
        lambda repo: repo.lake.put(repo.home, f"commits/{C3}", b"\x0a\x40" + b"3" * 20),
        [
            ("record-is-decodable", f"{{home}} commits/{C3}"),
            ("head-exists", "{home} branches/main"),
            ("active-is-complete", "{home}"),
        ],
    ),
    "a torn branch and nothing else": (
        _leave_a_torn_branch,
        [("record-is-decodable", "{home} branches/main"), ("active-is-complete", "{home}")],
    ),
    "a record of another name": (
        lambda repo: repo.lake.put(repo.home, "tags/v3", tag("v1", C1)),
        [("key-names-record", "{home} tags/v3")],
    ),
    "a lost default branch": (
        lambda repo: repo.lake.rows.pop((repo.home.encode(), b"branches/main")),
        [("active-is-complete", "{home}")],
    ),
    "a shared token": (
        lambda repo: repo.branch("feature", C2, token=repo.token("main")),
        [("token-has-one-owner", "{main}")],
    ),
    "a sealed token of another": (
        lambda repo: repo.branch("feature", C2, sealed=(repo.token("dev"),)),
        [("token-has-one-owner", "{dev}")],
    ),
    "a live token to be dropped": (
        lambda repo: repo.lake.put("cleanup-tokens", repo.token("main"), b"stub-value"),
        [("cleanup-spares-live", "{main}")],
    ),
    "a wrong generation": (
        lambda repo: repo.commit(C3, repo.metarange, (C2,), 7),
        [("generation-is-right", f"{{home}} commits/{C3}")],
    ),
    "a lost parent": (
        lambda repo: repo.commit(C3, repo.metarange, (C2, GONE), 3),
        [("parents-exist", f"{{home}} commits/{C3}")],
    ),
    "a cycle": (
        lambda repo: repo.commit(C1, repo.metarange, (C3,), 1),
        [
            *(("commits-have-no-cycle", f"{{home}} commits/{each}") for each in (C1, C2, C3)),
            ("generation-is-right", f"{{home}} commits/{C1}"),
        ],
    ),
    "a lost metarange": (lambda repo: _lose(repo, f"_lakefs/{repo.metarange}"), _unreadable("{metarange}")),
    "a lost range": (lambda repo: _lose(repo, f"_lakefs/{repo.ranges[1].id}"), _unreadable("{second}")),
    "a flipped block": (
        lambda repo: _change(
            repo, f"_lakefs/{repo.ranges[1].id}", lambda file: file[:9] + bytes([file[9] ^ 4]) + file[10:]
        ),
        _unreadable("{second}"),
    ),
    "a cut table": (
        _cut_what_another_commit_needs,
        _unreadable("{metarange}"),
    ),
    "a whole table under the name of another": (
        lambda repo: _change(
            repo,
            f"_lakefs/{repo.ranges[1].id}",
            lambda _: repo.lake.files[f"{repo.name}/_lakefs/{repo.ranges[0].id}"],
        ),
        _unreadable("{second}"),
    ),
    "a range for a metarange": (
        lambda repo: repo.commit(C3, repo.ranges[0].id, (C2,), 3),
        [
            ("meta-range-exists", f"{{home}} commits/{C3}"),
            ("committed-data-is-kept", f"{{home}} commits/{C3}"),
            ("table-is-sound", "{namespace}/_lakefs/{first}"),
        ],
    ),
    "a metarange that says otherwise": (_say_otherwise, [("table-is-sound", "{namespace}/_lakefs/{first}")]),
    "a range only in another namespace": (
        _lose_what_another_has,
        [("table-is-sound", "{namespace}/_lakefs/{first}")],
    ),
    "a lost object": (
        lambda repo: _lose(repo, repo.address("a/2")),
        [("committed-data-is-kept", "{namespace}/data/{name}/a-2")],
    ),
    "a lost staged object": (
        lambda repo: _lose(repo, repo.address("s/new")),
        [("staged-data-is-kept", "{namespace}/data/{name}/s-new")],
    ),
    "a cut object": (
        lambda repo: _change(repo, repo.address("b/3"), lambda _: b""),
        [("object-is-whole", "{namespace}/data/{name}/b-3")],
    ),
    "a cut staged object": (
        lambda repo: _change(repo, repo.address("s/new"), lambda _: b"xx"),
        [("object-is-whole", "{namespace}/data/{name}/s-new")],
    ),
}
"""What is done to a repository, and what is to be said of it."""


def plant(lake: Installation, names: Iterable[str] = DAMAGES) -> dict[str, set[Said]]:
    """Each damage in a repository of its own; what is to be said, by the name of the damage."""
    found = {}
    for number, name in enumerate(names):
        repo, (damage, said) = Repo(lake, f"r{number:02}").build(), DAMAGES[name]
        words = {each: getattr(repo, each) for each in ("name", "home", "namespace", "metarange")}
        words |= {each: repo.token(each) for each in ("main", "dev")}
        words |= dict(zip(("first", "second"), (each.id for each in repo.ranges), strict=True))
        damage(repo)
        found[name] = {(each, subject.format(**words)) for each, subject in said}
    return found
