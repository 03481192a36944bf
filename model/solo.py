"""What a call of a client that is alone answers, against what a sequential specification says."""

from typing import Final

from lakeproof.model.snapshot import CallView, Status

ANY: Final = object()
"""Any value: it is for the specification to look at it."""


class Misanswered(Exception):
    """A call is answered in another way than the specification has it."""


def expect(call: CallView, *, error: str = "", value: object = ANY) -> None:
    """Nothing, if a call has failed with an error of just this class, by name; without one, if it has returned, and
    this value.

    Raises:
        Misanswered: names the call, its answer, and what was expected.
    """
    shown = f"{call.name}({', '.join(map(str, call.args))}) answered {call.error or call.value!r}"
    if error:
        # By name: the model does not import the classes of flows. Exactly: a subclass says more.
        if call.status is not Status.FAIL or type(call.error).__name__ != error:
            raise Misanswered(f"{shown}; alone it answers {error}")
    elif call.status is not Status.OK:
        raise Misanswered(f"{shown}; alone nothing stands in its way")
    elif value is not ANY and call.value != value:
        raise Misanswered(f"{shown}; alone it answers {value!r}")
