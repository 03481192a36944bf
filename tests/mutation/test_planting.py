"""A mutant is what a fresh process imports; what is loaded already cannot be mutated."""

import sys
from pathlib import Path

import pytest

from lakeproof.mutation.injection import SUBSTRATE, AlreadyLoaded, flow_files, module_of, package, plant
from lakeproof.mutation.mutants import noting
from tests.commands import in_a_process


class TestPlant:
    def test_the_mutant_is_imported_instead_of_the_file(self) -> None:
        program = (
            "import marshal\n"
            "from lakeproof.mutation.mutants import mutants_of\n"
            "from lakeproof.mutation.injection import flow_files, plant\n"
            "path = flow_files()['impl/staging.py']\n"
            "known = mutants_of(path, 'impl/staging.py', part=':get_staged')\n"
            "found = [each for each in known if each.operator == 'one-branch']\n"
            "plant({'lakeproof.impl.staging': path}, lambda _: marshal.loads(found[0].code))\n"
            "from lakeproof.impl import staging\n"
            "print(found[0].after, '_stand_ins' in vars(staging), staging.__file__ == str(path))\n"
        )
        assert in_a_process(program) == "None True True\n"

    def test_a_module_that_is_loaded_is_an_error(self) -> None:
        import lakeproof.impl.staging

        path = flow_files()["impl/staging.py"]
        before = list(sys.meta_path)
        with pytest.raises(
            AlreadyLoaded, match=r"lakeproof\.impl\.staging is loaded already: the mutant would not run"
        ):
            plant({lakeproof.impl.staging.__name__: path}, lambda _: compile("", str(path), "exec"))
        assert sys.meta_path == before

    def test_what_every_process_has_loaded_before_holds_no_flow(self) -> None:
        program = (
            "import sys, lakeproof.mutation.preloaded, lakeproof.mutation.work\n"
            "from lakeproof.mutation.injection import flow_files, module_of\n"
            "print(*sorted({module_of(name) for name in flow_files()} & sys.modules.keys()))\n"
        )
        assert in_a_process(program) == "\n"


class TestFlowFiles:
    def test_each_file_is_that_of_its_module(self) -> None:
        files = flow_files()
        assert files["impl/repositories/step1.py"] == package() / "impl" / "repositories" / "step1.py"
        assert module_of("impl/repositories/step1.py") == "lakeproof.impl.repositories.step1"
        assert all(path.is_file() for path in files.values())

    def test_what_flows_are_built_on_is_left_out_and_there(self) -> None:
        tops = {Path(name).parts[1].removesuffix(".py") for name in flow_files()}
        there = {path.name.removesuffix(".py") for path in (package() / "impl").iterdir()}
        assert not tops & set(SUBSTRATE)
        assert set(SUBSTRATE) <= there


def test_noting_code_notes_the_lines_that_are_executed(tmp_path: Path) -> None:
    from lakeproof.mutation.stand_ins import LINES

    path = tmp_path / "flow.py"
    rows = ["def f(a):", "    try:", "        a[0]", "    except IndexError:", "        return 1", "    return 2", ""]
    path.write_text("\n".join(rows))
    names: dict[str, object] = {}
    exec(noting(path, "flow.py"), names)  # noqa: S102
    f = names["f"]
    assert callable(f)
    met = []
    for given in ([], [0]):
        LINES.clear()
        f(given)
        met.append(sorted(LINES))
    LINES.clear()
    assert met == [[("flow.py", line) for line in (2, 3, 4, 5)], [("flow.py", line) for line in (2, 3, 6)]]
