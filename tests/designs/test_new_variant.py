"""A new variant is two files, of flows and of races. The catalogue finds it; what is missing is named with its file."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from lakeproof import designs
from lakeproof.designs import BEGINNINGS, LANGUAGE, catalogue, modules
from lakeproof.designs.races import RaceError
from lakeproof.search.search import search
from tests.commands import ROOT, complaint, lakeproof

NAME = "zz_careless"
FILE = f"lakeproof/designs/{NAME}.py"
VARIANT = '''
"""Objects as they are today, and a delete that deletes the object of whatever is there."""

import attrs

from lakeproof.impl.catalog.objects import FLOWS, at, delete_object, find_object
from lakeproof.designs._hard_delete import UPLOADED, ObjectDesign
from lakeproof.designs.designs import HOLDS, rows
from lakeproof.designs.races import Refuted


async def delete_all(env, repository, branch_id, path):
    entry = await find_object(env, repository, branch_id, path)
    await delete_object(env, repository, branch_id, path)
    await env.objects.delete(at(repository, entry))


CARELESS = ObjectDesign(
    name="hard-delete/careless",
    flows=attrs.evolve(FLOWS, delete_object=delete_all),
    source="tests",
    refuted=EXPECTED,
)

ROWS = [*rows(CARELESS, "delete-commit copy-commit", before=UPLOADED)]
'''
LOST = '{"committed-data-is-kept": Refuted("the entry is committed meanwhile", "staged/delete-commit")}'
INDEX = "docs/designs/README.md"
PAGE = (ROOT / INDEX).read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose modules belong to the catalogue, too."""
    monkeypatch.setattr(designs, "__path__", [*designs.__path__, str(tmp_path)])
    yield tmp_path
    sys.modules.pop(f"lakeproof.designs.{NAME}", None)
    vars(designs).pop(NAME, None)


def written(folder: Path, text: str) -> None:
    (folder / f"{NAME}.py").write_text(text, encoding="utf-8")


def undocumented(found: tuple[ModuleType, ...], readme: str) -> list[str]:
    """The files of the catalogue none of whose designs has a row in a table of docs/designs/README.md."""
    cells = [line.split("|")[1] for line in readme.splitlines() if line.startswith("| ")]
    told = {name for cell in cells for name in re.findall(r"`([\w/-]+)`", cell)}
    missing = []
    for module in found:
        names = {row.design.name for row in module.ROWS}
        parts = {part for name in names for part in (name, *name.split("/"))}
        if not parts & told:
            missing.append(f"{module.__name__.replace('.', '/')}.py: no row for {sorted(names)} in {INDEX}")
    return missing


def test_every_file_of_the_catalogue_is_found() -> None:
    files = {path.stem for path in (ROOT / "lakeproof" / "designs").glob("*.py") if not path.stem.startswith("_")}
    found = {module.__name__.rpartition(".")[2] for module in modules()}
    assert files - found == set(LANGUAGE)
    assert set(BEGINNINGS) <= found


def test_every_file_of_the_catalogue_has_a_row_in_the_readme() -> None:
    assert undocumented(modules(), PAGE) == []


def test_names_are_unique_across_the_catalogue() -> None:
    names = [scenario.name for scenario in catalogue()]
    assert len(set(names)) == len(names)


def test_a_new_file_belongs_to_the_catalogue_and_comes_last(folder: Path) -> None:
    before = len(catalogue())
    written(folder, VARIANT.replace("EXPECTED", LOST))
    assert [each.name for each in catalogue()[before:]] == [
        "hard-delete/careless/staged/delete-commit",
        "hard-delete/careless/staged/copy-commit",
    ]
    result = search(catalogue()[before])
    assert {each.id for each in result.findings if each.verdict == "violated"} == {"committed-data-is-kept"}


def test_a_new_file_without_a_row_in_the_readme_is_named(folder: Path) -> None:
    written(folder, VARIANT.replace("EXPECTED", "HOLDS"))
    assert undocumented(modules(), PAGE) == [f"{FILE}: no row for ['hard-delete/careless'] in {INDEX}"]
    assert undocumented(modules(), PAGE + "\n| `careless` | a delete | it loses |\n") == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("    refuted=EXPECTED,\n", "", ".*'refuted'"),
        ("EXPECTED", LOST.replace("delete-commit", "delete-comit"), ".*'staged/delete-comit' matches no race"),
        ("ROWS", "OTHER", "no ROWS; add"),
    ],
    ids=["no expectation", "an expectation that concerns no race", "nothing offered"],
)
def test_what_is_wrong_in_a_new_file_is_named_with_the_file(folder: Path, before: str, after: str, told: str) -> None:
    written(folder, VARIANT.replace(before, after).replace("EXPECTED", "HOLDS"))
    with pytest.raises(RaceError, match=rf"{FILE}: {told}"):
        catalogue()
    assert complaint(lakeproof("scenarios", "*careless*")).startswith(f"{FILE}: ")


def test_what_is_proposed_for_a_new_file_is_what_it_should_expect(folder: Path, tmp_path: Path) -> None:
    written(folder, VARIANT.replace("EXPECTED", "HOLDS"))
    out = str(tmp_path / "traces")
    result = lakeproof("verify", "hard-delete/careless/*", "--propose", "--jobs", "1", "--out", out)
    assert result.exit_code == 3
    assert result.stdout == (
        "# hard-delete/careless: 1 of 2 scenarios violate something\n"
        "# inconclusive: acknowledged-write-is-kept in staged/delete-commit: "
        "the situation that it describes never occurred\n"
        "refuted={\n"
        '    "committed-data-is-kept": Refuted(\n'
        '        "why",\n'
        '        "staged/delete-commit",\n'
        "    ),\n"
        "},\n"
    )


def test_a_proposal_is_python_and_nothing_else(tmp_path: Path) -> None:
    result = lakeproof("verify", "hard-delete/today/upload-commit", "--propose", "--out", str(tmp_path))
    assert result.stdout == "# hard-delete/today: 0 of 1 scenarios violate something\nrefuted=HOLDS,\n"
    assert lakeproof("verify", "hard-delete/today/upload-commit", "--propose", "--json").exit_code == 2
