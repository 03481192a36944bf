"""The anomalies that have names, each by all algorithms; and their twins, where an overlap excuses them."""

from lakeproof.model.linearizability.checking import ALGORITHMS, check
from lakeproof.model.linearizability.history import Settings
from lakeproof.model.linearizability.problem import Verdict
from lakeproof.model.linearizability.specifications import CAS_REGISTER, KV, MUTEX, Specification
from tests.model.linearizability.written import drawn


def said(specification: Specification, picture: str, settings: Settings | None = None) -> set[Verdict]:
    """The verdicts of all algorithms that know."""
    told = drawn(picture, settings)
    found = {v.verdict for name in (None, *ALGORITHMS) for v in check(specification, told, algorithm=name)}
    return found - {Verdict.INCONCLUSIVE}


def holds(specification: Specification, picture: str, settings: Settings | None = None) -> bool:
    [verdict] = said(specification, picture, settings)
    return verdict is Verdict.HOLDS


def test_a_stale_read_is_refused_and_one_that_overlaps_the_write_is_not() -> None:
    assert not holds(
        CAS_REGISTER,
        """
        |--|               write 1
             |--|          write 2
                  |--|     read 1
        """,
    )
    assert holds(
        CAS_REGISTER,
        """
        |--|               write 1
             |------|      write 2
                  |--|     read 1
        """,
    )


def test_reads_that_go_back_in_time_are_refused() -> None:
    assert not holds(
        CAS_REGISTER,
        """
        |--|               write 1
             |----------|  write 2
               |-|         read 2
                   |-|     read 1
        """,
    )


def test_a_lost_acknowledged_write_is_refused() -> None:
    assert not holds(KV, "|--|  set 1\n     |--|  get nil")
    assert not holds(KV, "|--|  set 1\n     |--|  delete\n          |--|  get 1")


def test_two_conditional_writes_on_one_value_are_not_both_done() -> None:
    assert not holds(
        CAS_REGISTER,
        """
        |--|               write 1
             |-----|       cas 1 2
             |------|      cas 1 3
        """,
    )
    assert holds(
        CAS_REGISTER,
        """
        |--|               write 1
             |-----|       cas 1 2
             |------X      cas 1 3
        """,
    )


def test_an_indefinite_write_may_take_effect_late_or_never_but_once() -> None:
    late = """
        |--...             write 1
             |--|          write 2
                  |--|     read {first}
                       |-|    read {second}
                            |-|    read {third}
        """
    assert holds(CAS_REGISTER, late.format(first=2, second=1, third=1))
    assert holds(CAS_REGISTER, late.format(first=2, second=2, third=2))
    assert not holds(CAS_REGISTER, late.format(first=1, second=2, third=2))


def test_an_indefinite_write_happened_if_its_value_was_met_back_along_the_chain() -> None:
    chain = """
        |--...                 cas nil 1
        |--...                 cas 1 2
           |----|              read 2
                  |--|         read {value}
        """
    assert holds(CAS_REGISTER, chain.format(value=2))
    assert not holds(CAS_REGISTER, chain.format(value=1))
    assert not holds(CAS_REGISTER, chain.format(value="nil"))


def test_compare_and_sets_that_only_follow_from_each_other_are_refused() -> None:
    assert not holds(CAS_REGISTER, "|---|  cas 1 2\n|---|  cas 2 1")


def test_a_refused_compare_and_set_puts_a_deadline_on_what_hides_the_value() -> None:
    in_time = """
        |--|                           write 1
             |--|                      read 1
                    |-----X            cas 1 9
                       |{end}   {hides}
        """
    for hides in ("write 2", "cas 1 2"):
        assert holds(CAS_REGISTER, in_time.format(end="--------|", hides=hides))
        assert holds(CAS_REGISTER, in_time.format(end="-|", hides=hides))
        assert not holds(
            CAS_REGISTER, in_time.replace("           |{end}", "                |{end}").format(end="--|", hides=hides)
        )


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


def test_deletes_write_the_same_nothing_many_times() -> None:
    assert holds(
        KV,
        """
        |--|                         set 1
             |--|                    delete
                  |--|               get nil
                       |--|          set 2
                            |-----|  delete
                              |-|    get 2
                                     |-|  get nil
        """,
    )
