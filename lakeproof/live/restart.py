"""A command that restarts a server, as a fault."""

import random
import shlex

import trio

from lakeproof.live.traffic import Fault
from lakeproof.words import Unusable

RESTARTED = "the server restarted"


def restarting(command: str) -> Fault:
    """A fault that runs a command to its end, without a shell.

    Raises Unusable if its quotes are unbalanced; the fault does if the program is not there or fails.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Unusable(f"--restart-with {command}: {error}; quote it as in a shell") from error

    async def restart(rng: random.Random) -> str:
        try:
            done = await trio.run_process(words, check=False, capture_stdout=True, capture_stderr=True)
        except (OSError, ValueError, IndexError) as error:
            why = getattr(error, "strerror", None) or error
            raise Unusable(f"--restart-with {command}: {why}; name a program") from error
        if done.returncode:
            said = " ".join(done.stderr.decode(errors="replace").split())[-200:]
            raise Unusable(f"--restart-with {command}: ended with {done.returncode}: {said}; mend it")
        return RESTARTED

    return restart
