"""Flows in other languages: programs that speak the protocol ``flow:`` on their stdin and stdout.

`Program` is what a scenario names. Its flows are run again for each new reply, in processes that are kept and used
again (`lakeproof.languages.pool`). See docs/flow-protocol.md.
"""

from lakeproof.languages.program import Program as Program
from lakeproof.languages.program import ProgramFlow as ProgramFlow
from lakeproof.languages.program import Raised as Raised
