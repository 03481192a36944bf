"""Which deep tests a change calls for."""

import pytest

from tools.tier import AREAS, EVERYWHERE, ROOT, areas_of_test, expression

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


def test_each_path_of_an_area_exists() -> None:
    """A folder that has moved would leave its area, and nobody would notice."""
    named = [path for area in AREAS.values() for path in (*area.product, *area.tests)]
    assert [path for path in (*named, *EVERYWHERE) if not (ROOT / path).exists()] == []


def test_a_test_has_the_marks_of_its_area(request: pytest.FixtureRequest) -> None:
    assert areas_of_test("tests/spark/checks/test_planted.py") == ["spark"]
    assert areas_of_test("tests/test_tier.py") == []
    for item in request.session.items:
        path = item.path.relative_to(ROOT).as_posix()
        assert {name for name in AREAS if item.get_closest_marker(name)} == set(areas_of_test(path))
