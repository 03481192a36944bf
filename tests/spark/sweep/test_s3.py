"""A sweep of a bucket, with Amazon's own library against a small S3 in this process: through the command, mostly."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import complaint, lakeproof
from tests.spark.clouds import Cloud, serving
from tests.spark.sweep.marking import OLD, Row, accounts, journal, marked, row

SECONDS = OLD // 1_000_000


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Cloud]:
    """On a machine that has credentials for it and nothing else of Amazon's."""
    for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_PROFILE", "AWS_SESSION_TOKEN", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving(Cloud()) as served:
        yield served


def swept(tmp_path: Path, bucket: Cloud, *more: str, where: str = "s3://bucket") -> tuple[int, str, str]:
    """Exit code, what it prints, what it complains of."""
    done = lakeproof(
        *("spark", "sweep", str(tmp_path / "out"), "--run", "run", "--objects", where),
        *("--endpoint", bucket.endpoint, "--delete", *more),
    )
    return done.exit_code, done.stdout, done.stderr


def stored(bucket: Cloud, *names: str, content: bytes = b"x") -> list[Row]:
    """Put objects in the namespace of the run; returns what a listing says of them."""
    return [row(name, len(content), OLD, bucket.put(f"r/{name}", content, SECONDS)) for name in names]


class TestTheCommand:
    def test_what_is_as_it_was_goes_in_one_request_and_what_was_put_again_stays(
        self, tmp_path: Path, bucket: Cloud
    ) -> None:
        folder = marked(tmp_path / "out", [*stored(bucket, "data/a", "data/b", "data/c", "data/d"), row("data/gone")])
        bucket.put("r/data/b", b"x", SECONDS + 1)  # the same bytes, later
        bucket.put("r/data/c", b"y", SECONDS)  # other bytes, in the same second
        code, said, complained = swept(tmp_path, bucket)
        assert (code, complained) == (0, "")
        assert sorted(bucket.objects) == ["r/data/b", "r/data/c"]
        kept = {("kept", "younger"): 1, ("kept", "other-e-tag"): 1}
        assert accounts(folder) == {("deleted", ""): 2, ("gone", ""): 1, **kept}
        assert "other-e-tag" in said
        assert bucket.asked == {"HEAD bucket": 1, "HEAD": 5, "POST": 1}

    def test_what_is_put_between_the_look_and_the_delete_is_kept_by_if_match(
        self, tmp_path: Path, bucket: Cloud
    ) -> None:
        folder = marked(tmp_path / "out", stored(bucket, "data/a", "data/b", "data/c"))

        def put_again(method: str, _: str) -> None:
            if method == "POST":
                bucket.put("r/data/a", b"new", SECONDS + 1)
                # By another process, or by the first of two requests, whose answer was lost.
                bucket.objects.pop("r/data/c")

        bucket.trouble = put_again
        assert swept(tmp_path, bucket)[0] == 0
        assert [*bucket.objects] == ["r/data/a"]
        unknown = ("perhaps-deleted", "cut-short")
        assert accounts(folder) == {("deleted", ""): 1, ("kept", "changed-meanwhile"): 1, unknown: 1}

    def test_errors_in_an_answer_of_200_are_told_key_by_key(self, tmp_path: Path, bucket: Cloud) -> None:
        folder = marked(tmp_path / "out", stored(bucket, *(f"data/{number}" for number in range(5))))
        # What some store says of a write that too few of its disks have answered.
        bucket.denied = {"r/data/1": "AccessDenied", "r/data/3": "SlowDownWrite"}
        code, said, complained = swept(tmp_path, bucket)
        assert code == 2
        assert complained == "lakeproof: 2 objects failed or in doubt; mend that and sweep the run again\n"
        assert said.count("AccessDenied") == said.count("SlowDownWrite") == 1
        left = {at: end for at, (end, _) in journal(folder).items() if end != "deleted"}
        assert left == {"s3://bucket/r/data/1": "failed", "s3://bucket/r/data/3": "perhaps-deleted"}
        assert sorted(bucket.objects) == ["r/data/1", "r/data/3"]
        bucket.denied = {}
        assert swept(tmp_path, bucket)[0] == 0
        assert bucket.objects == {}

    def test_a_key_that_an_answer_does_not_name_is_in_doubt(self, tmp_path: Path, bucket: Cloud) -> None:
        folder = marked(tmp_path / "out", stored(bucket, "data/a", "data/b"))
        bucket.silent = {"r/data/a"}
        assert swept(tmp_path, bucket)[0] == 2
        assert journal(folder)["s3://bucket/r/data/a"] == ("perhaps-deleted", "no-answer")
        assert accounts(folder) == {("deleted", ""): 1, ("perhaps-deleted", "no-answer"): 1}
        assert swept(tmp_path, bucket)[0] == 0  # it has looked again
        assert accounts(folder) == {("deleted", ""): 1, ("perhaps-deleted", "cut-short"): 1}

    def test_what_cannot_be_looked_at_is_not_deleted(self, tmp_path: Path, bucket: Cloud) -> None:
        folder = marked(tmp_path / "out", stored(bucket, "data/a", "data/b"))
        bucket.trouble = lambda method, key: 403 if (method, key) == ("HEAD", "r/data/a") else None
        code, said, _ = swept(tmp_path, bucket)
        assert (code, [*bucket.objects]) == (2, ["r/data/a"])
        assert "403" in said
        assert accounts(folder) == {("deleted", ""): 1, ("failed", ""): 1}

    def test_a_request_that_fails_for_good_stops_the_sweep_with_one_line(self, tmp_path: Path, bucket: Cloud) -> None:
        folder = marked(tmp_path / "out", stored(bucket, "data/a", "data/b"))
        bucket.trouble = lambda method, _: 403 if method == "POST" else None
        code, _, complained = swept(tmp_path, bucket)
        assert code == 2
        assert complained.startswith("lakeproof: 2 objects failed or in doubt (An error occurred")
        assert len(complained.splitlines()) == 1
        assert accounts(folder) == {("failed", ""): 2}


class TestWhereItIs:
    def test_objects_that_lie_elsewhere_are_kept_and_told(self, tmp_path: Path, bucket: Cloud) -> None:
        folder = marked(tmp_path / "out", stored(bucket, "data/a", "extra/b"))
        assert swept(tmp_path, bucket, where="s3://bucket/r/data")[0] == 0
        assert accounts(folder) == {("deleted", ""): 1, ("kept", "elsewhere"): 1}
        assert swept(tmp_path, bucket, where="s3a://bucket/")[0] == 0
        assert accounts(folder) == {("deleted", ""): 2}

    def test_another_bucket_may_stand_for_that_of_the_run(self, tmp_path: Path, bucket: Cloud) -> None:
        marked(tmp_path / "out", [row("data/a")], namespace="s3://first/r")
        bucket.put("copy/r/data/a", b"x", SECONDS)
        assert swept(tmp_path, bucket, "--instead-of", "s3://first", where="s3://bucket/copy")[0] == 0
        assert bucket.objects == {}

    def test_a_bucket_that_is_not_there_is_refused_and_not_taken_for_an_empty_one(
        self, tmp_path: Path, bucket: Cloud
    ) -> None:
        folder = marked(tmp_path / "out", stored(bucket, "data/a"), namespace="s3://other/r")
        code, _, complained = swept(tmp_path, bucket, where="s3://other")
        assert code == 2
        assert complained.startswith("lakeproof: s3://other: cannot be looked at (")
        assert not (folder / "swept").exists()

    def test_a_store_that_does_not_answer_is_one_line(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("lakeproof.spark_checks.sweep.s3.TRIES", 1)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        marked(tmp_path / "out", [])
        arguments = ("--run", "run", "--objects", "s3://bucket", "--endpoint", "http://127.0.0.1:9")
        said = complaint(lakeproof("spark", "sweep", str(tmp_path / "out"), *arguments))
        assert "s3://bucket: cannot be looked at (" in said
        assert said.endswith("see that it can be reached, and sweep the run again")


ODD = [
    *("a b", "a+b", "a%20b", "a%2Fb", "ä€😀", "a/", "a//b", "/a", "a/../b", "a/./b", ".."),
    *("?x=1&y", "#", "'\"<>&", "~*"),
]
CONTROLS = ["a\nb", "a\rb", "a\tb", "a\x01b", "a\x85b", "a\u2028b", "a\ufffeb"]


def test_a_key_is_what_the_address_says_letter_by_letter(tmp_path: Path, bucket: Cloud) -> None:
    """What XML cannot hold goes by a request of its own: a parser would read another key."""
    names = [*ODD, *CONTROLS]
    folder = marked(tmp_path / "out", stored(bucket, *names))
    near = {each for name in names for each in (name.strip("/"), name.replace("\r", "\n"), f"{name}/", f"{name} ")}
    near |= {"b", "a", "a%00b", "a&#xD;b", "data"}
    for each in near - {*names}:
        bucket.put(f"r/{each}", b"near", SECONDS)
    before = {*bucket.objects}
    assert swept(tmp_path, bucket)[0] == 0
    assert {*bucket.objects} == before - {f"r/{name}" for name in names}
    assert accounts(folder) == {("deleted", ""): len(names)}
    assert bucket.asked["POST"] == 1
    assert bucket.asked["DELETE"] == len(CONTROLS)


@pytest.mark.deep
def test_many_objects_go_a_thousand_a_request(tmp_path: Path, bucket: Cloud) -> None:
    chance = random.Random(1)
    rows = stored(bucket, *(f"data/{number}" for number in range(1100)))
    marked(tmp_path / "out", rows)
    again = chance.sample(sorted(bucket.objects), 30)
    for key in again:
        bucket.put(key, b"x", SECONDS + 9)
    assert swept(tmp_path, bucket)[0] == 0
    assert sorted(bucket.objects) == sorted(again)
    assert bucket.asked == {"HEAD bucket": 1, "HEAD": 1100, "POST": 2}
