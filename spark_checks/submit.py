"""What ``spark-submit`` is given: ``spark-submit spark_checks/submit.py check DATASET --out DIR``."""

import os
import sys
from pathlib import Path


def run() -> None:
    """The command, as if it were called by its name."""
    folder = Path(__file__).resolve().parent
    # Python looks first where the script is, and there are modules with common names.
    sys.path[:] = [each for each in sys.path if Path(each).resolve() != folder]
    # In a checkout this folder lies beside lakeproof/, installed it lies in it. Last: an installed one is found before.
    sys.path += [str(above) for above in folder.parents[:2] if (above / "lakeproof" / "__init__.py").is_file()]

    from lakeproof.cli import main
    from lakeproof.spark_checks.engine.settings import GATEWAY

    if GATEWAY in os.environ:
        from lakeproof.spark_checks.engine.classic import JavaStderr

        sys.stderr = JavaStderr()
    main(["spark", *sys.argv[1:]], prog_name="lakeproof")


if __name__ == "__main__":
    run()
