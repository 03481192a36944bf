"""A trace whose every text tries to be something else: a tag, an attribute, a script, a directive, a command."""

from typing import Final

from lakeproof import Faults
from lakeproof.search.faults import Mode
from lakeproof.search.trace import KeyChange, Trace, TraceStep

TAG: Final = '</script><script>window.taken = true</script><img src=x onerror="window.taken = true">'
ATTRIBUTE: Final = "' onmouseover='window.taken = true' \" onclick=\"window.taken = true"
DIRECTIVE: Final = (
    "%%{init: {'theme': 'dark'}}%%; end\u2028<!-- ]]> &lt; &#60; ```` | ::error::x @someone \ud800 \x1b[31m \0"
)
ALL: Final = TAG + ATTRIBUTE + DIRECTIVE

HOSTILE: Final = Trace(
    lakeproof=ALL,
    scenario=ALL,
    file=ALL,
    faults=Faults(),
    clients=((ALL,), (ALL, ALL)),
    initially=((ALL, ALL), ("__proto__", TAG)),
    schedule=(
        TraceStep(
            client="a",
            call=ALL,
            mode=Mode.NORMAL,
            effect=ALL,
            key=ALL,
            value=ALL,
            condition=ALL,
            reply=ALL,
            changes=(KeyChange(key=ALL, before=ALL, after=TAG), KeyChange(key="constructor", before=None, after=ALL)),
            returned=(ALL,),
            at=ALL,
        ),
        TraceStep(client="b", call=ALL, mode=Mode.NORMAL, effect="get", key=ALL, reply=TAG, at=ALL),
        TraceStep(client=TAG, call=ALL, mode=Mode.LOST_APPLIED, effect="set", key=ALL, value=ALL, at=ALL),
    ),
    afterwards=(ALL,),
    invariant=ALL,
    meaning=ALL,
    evidence=ALL,
)
