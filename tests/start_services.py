"""``make services``: a PostgreSQL and a Redis to point ``conform`` and ``stress`` at, until Ctrl-C."""

import signal
import sys
from contextlib import ExitStack, suppress

from tests.servers import postgres, redis_server


def main() -> None:
    """Start both, say where they are, and wait."""
    with ExitStack() as stack:
        for name, server in (("PostgreSQL", postgres), ("Redis", redis_server)):
            sys.stdout.write(f"{name}: {stack.enter_context(server())}\n")
        sys.stdout.write("Ctrl-C stops both\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            signal.pause()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    main()
