"""Faults in how flows of programs are run: what is remembered and compared, and what a failure makes of it."""

from typing import Final

from tests.mutants.planted import Mutant

_BREAKS: Final = (
    "tests/foreign/test_misbehaving.py::test_a_program_that_breaks_the_protocol_leaves_its_scenario_inconclusive"
)
_VARIES: Final = (
    "tests/foreign/test_misbehaving.py::"
    "test_a_program_whose_flows_are_no_functions_of_their_replies_is_not_deterministic"
)
_PROGRAMS: Final = "tests/foreign/test_programs.py"
_PROTOCOL: Final = "tests/foreign/test_protocol.py"
_POOL: Final = "lakeproof/foreign/pool.py"

MUTANTS: Final = (
    Mutant(
        "what a flow does again is not compared with what it did",
        _POOL,
        "        if known.heard != heard:\n",
        "        if known is None:\n",
        f"{_VARIES}[forgets]",
    ),
    Mutant(
        "one process is used for everything",
        _POOL,
        "CHILDREN_MIN: Final = 2\n",
        "CHILDREN_MIN: Final = 1\n",
        f"{_VARIES}[differs-by-process]",
    ),
    Mutant(
        "an end that is known is taken from memory",
        _POOL,
        "elif known is None or known.ends:",
        "elif known is None:",
        f"{_VARIES}[remembers-its-end]",
    ),
    Mutant(
        "a process that owes a line is used again",
        _POOL,
        "if child.busy or not child.resets or",
        "if not child.resets or",
        f"{_PROGRAMS}::test_a_search_that_is_interrupted_leaves_no_half_said_flow_behind",
    ),
    Mutant(
        "a line of an earlier flow is taken for one of this flow",
        "lakeproof/foreign/hearing.py",
        '    if told.get("flow") != flow:\n',
        '    if told.get("flow") == 0:\n',
        f"{_BREAKS}[other-flow]",
    ),
    Mutant(
        "a program that fails is an exception of its flow",
        "lakeproof/foreign/child.py",
        "class ProgramFailed(Undecided):",
        "class ProgramFailed(Exception):",
        f"{_BREAKS}[dies]",
    ),
    Mutant(
        "a lost answer is told to a program as definite",
        "lakeproof/foreign/protocol.py",
        'definite = bool(getattr(STORE_ERRORS[name], "definite", False))',
        'definite = bool(getattr(STORE_ERRORS[name], "definite", False) or True)',
        f"{_PROTOCOL}::test_every_error_of_the_stores_has_a_kind_and_says_whether_it_is_definite",
    ),
    Mutant(
        "a mistake of a program's flow is an indefinite error",
        "lakeproof/foreign/program.py",
        "        if heard.definite is None:\n",
        "        if heard.definite is heard:\n",
        f"{_PROGRAMS}::test_an_error_that_is_neither_definite_nor_not_is_a_mistake_of_the_flow",
    ),
)
