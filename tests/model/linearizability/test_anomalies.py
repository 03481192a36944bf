"""The anomalies that have names, each by all algorithms; and their twins, where an overlap excuses them."""

from lakeproof.model.linearizability.checker import ALGORITHMS, check
from lakeproof.model.linearizability.history import Settings
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import CAS_REGISTER, MUTEX, Specification
from tests.model.linearizability.written import drawn


def said(specification: Specification, picture: str, settings: Settings | None = None) -> set[Verdict]:
    """The verdicts of all algorithms that know."""
    told = drawn(picture, settings)
    found = {v.verdict for name in (None, *ALGORITHMS) for v in check(specification, told, algorithm=name)}
    return found - {Verdict.INCONCLUSIVE}


def holds(specification: Specification, picture: str, settings: Settings | None = None) -> bool:
    [verdict] = said(specification, picture, settings)
    return verdict is Verdict.HOLDS


def test_what_a_failure_says_is_a_setting() -> None:
    picture = "|--|  write 1\n     |--X  cas 1 2"
    assert not holds(CAS_REGISTER, picture, Settings(fail="predicate-false"))
    assert holds(CAS_REGISTER, picture, Settings(fail="did-not-happen"))


def test_what_a_read_of_nil_says_is_a_setting() -> None:
    picture = "|--|  write 1\n     |--|  read nil"
    assert not holds(CAS_REGISTER, picture, Settings(nil="nothing"))
    told = drawn(picture, Settings(nil="unrecorded"))
    assert [v.verdict for v in check(CAS_REGISTER, told)] == [Verdict.HOLDS]


def test_the_initial_value_is_a_setting() -> None:
    picture = "|--|  read 7\n     |--|  write 1"
    assert not holds(CAS_REGISTER, picture)
    assert holds(CAS_REGISTER, picture, Settings(initial=7))


def test_a_mutex_is_held_by_one() -> None:
    assert holds(MUTEX, "|--|  acquire\n     |--|  release\n          |--|  acquire")
    assert not holds(MUTEX, "|--|  acquire\n     |--|  acquire")
    assert not holds(MUTEX, "|--|  release")
    assert holds(MUTEX, "|--|  acquire\n     |-----|  release\n       |--|  acquire")
    assert not holds(MUTEX, "|--X  acquire")
    assert holds(MUTEX, "|--X  acquire", Settings(fail="did-not-happen"))
