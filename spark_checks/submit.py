"""What ``spark-submit`` is given: ``spark-submit spark_checks/submit.py check DATASET --out DIR``."""

import sys

from lakeproof.cli import main

if __name__ == "__main__":
    main(["spark", *sys.argv[1:]], prog_name="lakeproof")
