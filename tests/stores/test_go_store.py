"""adapters/go/kvstore: a store in Go is tested as any other, and its mistakes are found."""

import json
import subprocess

import pytest

from tests.commands import lakeproof
from tests.languages.building import ROOT, built, tool

pytestmark = pytest.mark.xdist_group("languages")
FOLDER = ROOT / "adapters" / "go" / "kvstore"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    program = tmp_path_factory.mktemp("kvstore") / "store"
    built([tool("go", "golang"), "build", "-buildvcs=false", "-o", program, "./example"], FOLDER)
    return f"exec:{program}"


def test_a_store_in_go_conforms(store: str) -> None:
    result = lakeproof("conform", store)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith(f" claims kept by {store}\n")


@pytest.mark.usefixtures("counted", "in_tmp_path")
def test_a_store_in_go_that_looks_before_it_writes_is_violated(store: str) -> None:
    result = lakeproof("stress", f"{store} get-then-set", "--seed", "1")
    assert result.exit_code == 1, result.output


def answers(store: str, *requests: object) -> dict[int, dict[str, object]]:
    said = "".join(f"{json.dumps(each)}\n" for each in requests)
    done = subprocess.run([store.removeprefix("exec:")], input=said, capture_output=True, text=True, check=True)
    return {each.pop("id"): each for each in map(json.loads, done.stdout.splitlines())}


def test_a_predicate_of_another_process_is_refused_and_nothing_is_written(store: str) -> None:
    at = {"partition": "cA==", "key": "aw=="}
    foreign = {"value": {"process": "0011223344556677", "number": 1}}
    found = answers(store, {"id": 1, "op": "set_if", **at, "value": "dg==", "predicate": foreign})
    assert found[1]["error"] == {"kind": "refused", "message": "the predicate is not known any more"}


@pytest.mark.parametrize("line", ["nonsense\n", '{"id": "one"}\n'])
def test_what_is_no_request_ends_the_program_with_one_line(line: str, store: str) -> None:
    program = store.removeprefix("exec:")
    done = subprocess.run([program], input=line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("not a request of the protocol exec: ")
