"""lakeFS as it is today, and its repairs: `lakeproof verify --from examples/lakefs_today/catalogue.py`."""

from lakefs_today.scenarios import alone, branches, collecting, designs, pulls, refs, repositories, tasks
from lakeproof.designs.designs import build_scenarios

PARTS = (repositories, branches, refs, designs, tasks, collecting, alone, pulls)
SCENARIOS = [scenario for part in PARTS for scenario in build_scenarios(part.ROWS)]
