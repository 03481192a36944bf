"""`scenario`: a function that returns a scenario becomes a test of it.

Under pytest the plugin judges what the function returns, and keeps the traces. Any other runner calls the function,
and `lakeproof.check` judges. Importing this module loads neither pytest nor the search.
"""

import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, ParamSpec

if TYPE_CHECKING:
    from lakeproof.scenario import Scenario

P = ParamSpec("P")

MARK: Final = "lakeproof_scenario"
"""An attribute of each decorated function, and of what other decorators make of it."""

JUDGE: Final[ContextVar["Callable[[Scenario], object] | None"]] = ContextVar("JUDGE", default=None)
"""What judges a scenario while a runner is at a test; None: `lakeproof.check`."""


def scenario(build: "Callable[P, Scenario]") -> Callable[P, None]:
    """A test that passes if every verdict on the scenario that ``build`` returns is as the scenario expects.

    The test has the name and the parameters of ``build``, so that fixtures, ``parametrize`` and Hypothesis' ``given``
    work. Cost: that of the search.

    Raises (the test):
        NotAsExpected: a verdict differs; inconclusive is not "holds".
        Unusable: the scenario cannot be run.
        TypeError: ``build`` has returned something else.
    """

    @functools.wraps(build)
    def test(*args: P.args, **kwargs: P.kwargs) -> None:
        # Read by pytest: a failure is shown at the test, not in here.
        __tracebackhide__ = True
        # Here, not above: the plugin imports this module in each run of pytest that has lakeproof installed.
        from lakeproof.scenario import Scenario
        from lakeproof.testing.check import check

        found: object = build(*args, **kwargs)
        if not isinstance(found, Scenario):
            if hasattr(found, "close"):
                found.close()  # a coroutine that is dropped would warn as well
            raise TypeError(f"{build.__qualname__} returned {found!r}; return a Scenario")
        judge = JUDGE.get() or check
        judge(found)

    # After wraps, which copies the attributes of ``build``; decorators above this one copy it on.
    setattr(test, MARK, True)
    return test
