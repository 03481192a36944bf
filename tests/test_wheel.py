"""What is installed: one top level, beside whatever a user has of the names of our folders."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.commands import ROOT

pytestmark = pytest.mark.deep
PARTS = ("LICENSE", "NOTICE", "README.md", "impl", "lakeproof", "model", "pyproject.toml", "spark_checks")
OWN_FLOW = """
from collections.abc import Iterator

import impl
from lakeproof import Call, Env, Eventually, Finding, Reached, Scenario, Snapshot, Violation
from model import KEY


async def put(env: Env, value: bytes) -> None:
    await env.store.set(*KEY, impl.shouted(value))


def _is_loud(snapshot: Snapshot) -> Iterator[Finding]:
    held = snapshot.store[KEY]
    yield Reached("loud") if held.isupper() else Violation("is-loud", repr(held))


IS_LOUD = Eventually(id="is-loud", meaning="values are in capitals", check=_is_loud)
SCENARIOS = [Scenario(name="own/put", clients=[[Call(put, b"a")], [Call(put, b"b")]], invariants=[IS_LOUD])]
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the tree."""
    copy = tmp_path_factory.mktemp("tree")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, copy / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "."]
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = copy.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages as `pip install` leaves it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def run(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_wheel_has_one_top_level(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"lakeproof"}
    for room in ("model", "impl", "spark_checks"):
        ours = {path.relative_to(ROOT).as_posix() for path in (ROOT / room).rglob("*.py")}
        assert {f"lakeproof/{name}" for name in ours} <= set(names)
    assert {"lakeproof/py.typed", "lakeproof/impl/codec/graveler.proto"} <= set(names)
    assert "lakeproof/spark_checks/engine/log4j2.properties" in names
    assert {f"lakeproof/show/pages/{name}" for name in ("page.css", "common.js", "page.js")} <= set(names)


def test_a_users_own_model_and_impl_are_untouched(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "__init__.py").write_text('KEY = (b"own", b"key")\n')
    (tmp_path / "impl.py").write_text("def shouted(value: bytes) -> bytes:\n    return value.upper()\n")
    (tmp_path / "own.py").write_text(OWN_FLOW)
    where = run(installed, tmp_path, "-c", "import lakeproof, model; print(lakeproof.__file__, model.KEY)")
    assert where.stdout == f"{installed / 'lakeproof' / '__init__.py'} (b'own', b'key')\n", where.stderr
    own = run(installed, tmp_path, "-m", "lakeproof", "verify", "--from", "own.py")
    assert own.returncode == 0, own.stdout + own.stderr
    assert "all as expected; nothing is violated: 2 hold" in own.stdout + own.stderr
    catalogue = run(installed, tmp_path, "-m", "lakeproof", "verify", "repositories/step1/delete-delete-create")
    assert catalogue.returncode == 0, catalogue.stdout + catalogue.stderr
    assert "delete-spares-successor is violated" in catalogue.stdout


def test_stories_name_the_lines_of_flows_as_a_checkout_does(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "-m", "lakeproof", "verify", "repositories/step1/delete-delete-create")
    here = run(ROOT, tmp_path, "-m", "lakeproof", "verify", "repositories/step1/delete-delete-create")
    lines = [line for line in done.stdout.splitlines() if "impl/repositories/step1.py:" in line]
    assert lines
    assert lines == [line for line in here.stdout.splitlines() if "impl/repositories/step1.py:" in line]


def test_spark_commands_are_found_where_they_are_installed(installed: Path, tmp_path: Path) -> None:
    done = run(installed, tmp_path, "-m", "lakeproof", "spark", "check", "--help")
    assert done.returncode == 0, done.stderr
    assert " spark check [OPTIONS] DATASET" in done.stdout
    submit = run(installed, tmp_path, str(installed / "lakeproof" / "spark_checks" / "submit.py"), "--help")
    assert (submit.returncode, "check" in submit.stdout) == (0, True), submit.stderr
