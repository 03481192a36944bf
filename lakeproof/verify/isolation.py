"""Running a scenario's code in this process: fenced, and with its errors attributed."""

import contextlib
import sys
from collections.abc import Iterator

from lakeproof.scenario import Scenario
from lakeproof.search.fence import CALL_SECONDS_MAX, FORGOTTEN, INTERRUPTS, WATCH
from lakeproof.verify.loader import Source
from lakeproof.verify.tasks import blame


@contextlib.contextmanager
def isolate_code(scenario: Scenario, source: Source) -> Iterator[None]:
    """Flows and invariants of a scenario run within. What they print goes to stderr; a loop without effects ends.

    Raises:
        Unusable: an error of the scenario's code, with its place. Undecided: it runs on without an effect.
    """
    with (
        # First in, last out: what the code prints while its errors are attributed goes to stderr as well.
        contextlib.redirect_stdout(sys.stderr),
        INTERRUPTS.noticed(),
        FORGOTTEN.noticed(),
        WATCH.set_up(CALL_SECONDS_MAX),
        blame(scenario, source),
    ):
        yield
