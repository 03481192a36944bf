"""Files that are odd: fields that no scenario can have, code that ends its process, or what is not its own."""

from pathlib import Path
from typing import Final

import pytest

from lakeproof.verify.loader import LoadError, load_file
from tests.edge.files import HEAD, run

pytestmark = pytest.mark.usefixtures("in_tmp_path")

LIMIT_SECONDS: Final = 300.0
"""A file takes about ten; the rest is for a busy machine."""
ODD: Final = """
import enum
class NoHash:
    def __hash__(self): raise ArithmeticError("hash")
class NoRepr:
    def __repr__(self): raise ArithmeticError("repr")
class Text(str): pass
class Color(str, enum.Enum):
    RED = "red"
"""

ODD_FIELDS: Final = [
    ("name", "5", "''", "' '", "'a\\nb'", "'x' * 5000", "'\\ud800'", "Text('t')", "Color.RED"),
    ("clients", "5", "[]", "[[]]", "[5]", "[[5]]", "[[touch]]", "{1: 2}", "'ab'", "[[Call(touch, [])]]"),
    ("clients", "[[Call(touch, NoHash())]]", "[[Call(touch, attempts=0)]]", "[[Call(touch, attempts='x')]]"),
    ("clients", "[[Call(5)]]", "[[Call(lambda: None)]]", "(c for c in [1 / 0])"),
    ("setup", "5", "[5]", "Call(touch)"),
    ("aftermath", "5", "[5]", "[Aftermath(id='a', meaning='', calls=5, check=print)]"),
    ("aftermath", "[Aftermath(id='a', meaning='', calls=[], check=None)]"),
    ("aftermath", "[Aftermath(id='a', meaning='', calls=[], check=print, clock_advance='x')]"),
    ("aftermath", "[Aftermath(id='any', meaning='', calls=[], check=print)]"),
    ("invariants", "5", "[]", "[5]", "[NoRepr()]", "ANY", "[ANY, ANY]", "[Always(id=5, meaning='', check=print)]"),
    ("invariants", "[Always(id='', meaning='', check=print)]", "[Always(id='x' * 300, meaning='', check=print)]"),
    ("invariants", "[Always(id=Text('x'), meaning='', check=print)]"),
    ("invariants", "[Always(id='no-unhandled-exception', meaning='', check=print)]"),
    ("invariants", "[Always(id='x', meaning=None, check=print)]", "[Always(id='x', meaning='', check=None)]"),
    ("invariants", "[Always(id='x', meaning='', check=print, reads=())]"),
    ("invariants", "[Always(id='x', meaning='', check=print, reads={Reads.STORE})]"),
    ("invariants", "[Always(id='x', meaning='', check=print, reads=frozenset({'store'}))]"),
    ("invariants", "[Always(id='x', meaning='', check=print, observers=5)]"),
    ("invariants", "[Always(id='x', meaning='', check=print, observers=(5,))]"),
    ("invariants", "[Always(id='x', meaning='', check=print, observers=(Observer(5, len),))]"),
    ("invariants", "[OnStep(id='x', meaning='', check=print, watches=5)]"),
    ("invariants", "[Monitor(id='x', meaning='', initial=0, advance=5)]"),
    ("invariants", "[Monitor(id='x', meaning='', initial=0, advance=print, at_end=5)]"),
    ("expect", "5", "{'other': 'holds'}", "{'any': 'maybe'}", "{'any': []}", "{NoHash(): 1}"),
    ("faults", "5", "Faults(crashes=-1)", "Faults(crashes=10**30)", "Faults(crashes=1.0)"),
    ("faults", "Faults(crashes=10**5000)", "Faults(clock_jumps=5)", "Faults(clock_jumps=('x',))"),
    ("faults", "type('Other', (Faults,), {})()"),
    ("start_time", "'x'", "float('nan')", "True"),
    ("reason", "5"),
    ("source", "None"),
    ("what", "5"),
]
"""A field, and what it cannot be."""


def test_what_a_scenario_cannot_be_made_of_is_refused_in_one_line_that_names_the_place() -> None:
    wrong = {}
    odd = [(name, value) for name, *values in ODD_FIELDS for value in values]
    for number, (name, value) in enumerate(odd):
        field = f"{name}={value}"
        defaults = {"name": "'s'", "clients": "[[Call(touch)]]", "invariants": "[ANY]"}
        fields = ", ".join(f"{key}={it}" for key, it in {**defaults, name: value}.items())
        path = Path(f"mine{number}.py")
        path.write_text(f"{HEAD}{ODD}\nSCENARIOS = [Scenario({fields})]\n")
        try:
            load_file(path)
            wrong[field] = "accepted"
        except LoadError as error:
            if "\n" in str(error) or "NameError" in str(error) or not str(error).startswith(str(path)):
                wrong[field] = str(error)
    assert wrong == {}


@pytest.mark.deep
@pytest.mark.parametrize(
    "source",
    [
        "import os; os._exit(0)",
        "import sys; sys.exit(0)",
        "raise KeyboardInterrupt",
        "import os; os.execv('/bin/true', ['true'])",
        "import os; os.abort()",
        "import os; os.kill(os.getpid(), 9)",
        "raise MemoryError",
        "\0",
        "\xff",
        "def broken(:",
        "(" * 1000,
    ],
)
def test_a_file_that_ends_its_process_is_an_error(source: str) -> None:
    Path("mine.py").write_text(source, encoding="latin-1")
    ran = run("verify", "--from", "mine.py", "--json", "--jobs", "1", seconds=LIMIT_SECONDS)
    assert (ran.code, ran.verdicts) == (2, {})
    assert ran.complaints


SOON: Final = "from lakeproof import supervisor; supervisor.LAST_SECONDS = {}; supervisor.supervised()"


def test_a_file_that_closes_what_is_not_its_own_does_not_stop_the_search() -> None:
    scenario = "SCENARIOS = [Scenario(name='s', clients=[[Call(touch)]], invariants=[ANY])]"
    Path("mine.py").write_text(f"import os\nos.closerange(3, 100)\n{HEAD}{scenario}")
    ran = run("verify", "--from", "mine.py", "--json", seconds=LIMIT_SECONDS, start=("-c", SOON.format(0)))
    assert (ran.code, ran.verdict("any")) == (2, "holds")
    assert "ended the process (exit code 0) or closed its files; take that out of it" in ran.complaints[0]


def test_a_thread_that_a_file_has_begun_does_not_keep_the_command() -> None:
    begun = "import threading; threading.Thread(target=threading.Event().wait).start()"
    Path("mine.py").write_text(f"{begun}\nSCENARIOS = 5")
    ran = run("verify", "--from", "mine.py", seconds=LIMIT_SECONDS, start=("-c", SOON.format(0.5)))
    assert (ran.code, len(ran.complaints)) == (2, 1)
    assert ran.complaints[0].startswith("mine.py: SCENARIOS is 5 (int)")
