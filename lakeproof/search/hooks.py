"""What flows may await, and how the tasks of a flow are driven in an execution."""

from typing import Final, get_args

from lakeproof.impl.effects import Effect
from lakeproof.impl.parallel import WRITES, CutOff, Unanswered, Withdrawn
from lakeproof.impl.scheduling import Hooks
from lakeproof.scenario import ScenarioError
from lakeproof.search.fence import NotAnEffect, foreign, is_ours

# The driver puts these in the place of a write (`lakeproof.impl.parallel`); no flow requests them.
EFFECTS: Final = frozenset(get_args(Effect)) - {Withdrawn, CutOff, Unanswered}
"""What a flow may await, by type."""


class NondeterministicFlow(Exception):
    """A flow, given the same replies, requested another effect than before, or ended otherwise."""


def _is_not_the_flows(error: BaseException) -> bool:
    return is_ours(error) or isinstance(error, ScenarioError | NondeterministicFlow | NotAnEffect)


HOOKS: Final = Hooks(
    at_once=lambda _: None,  # each execution brings its own, which knows its disk and its clock
    known=lambda effect: type(effect) in EFFECTS,
    foreign=foreign,
    recalls=lambda effect: isinstance(effect, WRITES),  # a write may be on its way: its outcome is a move
    through=_is_not_the_flows,
)
