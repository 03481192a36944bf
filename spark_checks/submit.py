"""What ``spark-submit`` is given: ``spark-submit spark_checks/submit.py check DATASET --out DIR``."""

import sys
from pathlib import Path


def run() -> None:
    """The command, as if it were called by its name."""
    folder = str(Path(__file__).resolve().parent)
    # Python looks first where the script is, and there are modules with common names.
    sys.path[:] = [each for each in sys.path if str(Path(each).resolve()) != folder]
    sys.path.append(str(Path(folder).parent))  # last: an installed lakeproof is found before it

    from lakeproof.cli import main
    from spark_checks import submitted

    if submitted.is_submitted():
        submitted.own_stderr()
    main(["spark", *sys.argv[1:]], prog_name="lakeproof")


if __name__ == "__main__":
    run()
