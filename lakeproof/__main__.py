"""``python -m lakeproof``: the command line, where its script is not on the path."""

from lakeproof.cli import main

if __name__ == "__main__":
    main(prog_name="lakeproof")
