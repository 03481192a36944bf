"""Which deep tests a change calls for."""

import pytest

from tools.tier import A_FAMILY, AREAS, CATALOGUE, EVERYWHERE, NO_VERDICT, ROOT, areas_of_test, expression, patterns

DEFAULT = "not long and (not deep)"


@pytest.mark.parametrize(
    ("changed", "areas"),
    [
        ([], ""),
        (["docs/index.md", "README.md", "lakeproof/cli.py"], ""),
        (["spark_checks/engine/session.py"], "spark"),
        (["tests/gate/test_s3.py"], "gate"),
        (["impl/frames.py", "lakeproof/gate/fronts/http.py"], "gate or engine"),
        (["impl/stores/sqlite.py"], "live"),
        (["spark_checksums/readme.md"], ""),  # a folder of a longer name is another folder
    ],
)
def test_a_change_calls_for_the_deep_tests_of_what_it_touches(changed: list[str], areas: str) -> None:
    assert expression(changed) == (f"not long and (not deep or {areas})" if areas else DEFAULT)


@pytest.mark.parametrize("path", EVERYWHERE)
def test_a_change_of_a_dependency_calls_for_all_of_them(path: str) -> None:
    assert expression([path]) == f"not long and (not deep or {' or '.join(AREAS)})"


@pytest.mark.parametrize("path", ["impl/frames.py", "model/kv.py", "lakeproof/designs/naive.py", *EVERYWHERE])
def test_a_change_of_what_decides_a_verdict_calls_for_the_whole_catalogue(path: str) -> None:
    assert patterns(["README.md", path]) == ""


def test_any_other_change_calls_for_a_family_of_it() -> None:
    assert patterns(["README.md", "spark_checks/cli.py", "lakeproof/gate/run.py", "tests/search/walks.py"]) == A_FAMILY


def test_each_path_of_an_area_exists() -> None:
    """A folder that has moved would leave its area, and nobody would notice."""
    named = [path for area in AREAS.values() for path in (*area.product, *area.tests)]
    named += [*CATALOGUE, *NO_VERDICT]
    assert [path for path in (*named, *EVERYWHERE) if not (ROOT / path).exists()] == []


def test_a_test_has_the_marks_of_its_area(request: pytest.FixtureRequest) -> None:
    assert areas_of_test("tests/spark/checks/test_planted.py") == ["spark"]
    assert areas_of_test("tests/test_tier.py") == []
    for item in request.session.items:
        path = item.path.relative_to(ROOT).as_posix()
        assert {name for name in AREAS if item.get_closest_marker(name)} == set(areas_of_test(path))
