"""What a shell completes, without loading what is completed."""

import os
import subprocess
import sys

from tests.commands import ROOT

HEAVY = {"attrs", "numpy", "trio", "rich", "lakeproof.scenario", "lakeproof.search", "pyspark", "google"}


def test_names_of_commands_are_completed_and_nothing_heavy_is_loaded() -> None:
    code = (
        "import sys\nfrom lakeproof.cli import main\n"
        "try: main.main(prog_name='lakeproof')\n"
        f"finally: print(sorted({HEAVY!r} & sys.modules.keys()), file=sys.stderr)"
    )
    asked = {"_LAKEPROOF_COMPLETE": "bash_complete", "COMP_WORDS": "lakeproof s", "COMP_CWORD": "1"}
    environment = {**os.environ, **asked, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == "[]\n"
    assert done.stdout.split() == [f"plain,{name}" for name in ("scenarios", "service", "show", "spark", "stress")]
