"""`python -m tools.pages NAME`: print what the site shows in the place of ``<!-- made: NAME -->``."""

import sys

from tools.pages import MADE

match sys.argv[1:]:
    case [name] if name in MADE:
        print(MADE[name]())
    case _:
        sys.exit(f"usage: python -m tools.pages NAME, where NAME is one of {', '.join(MADE)}")
