"""What each process that judges a mutant needs, and no mutant changes. Loaded once, in the process that forks them."""

import lakeproof.model.invariants.data
import lakeproof.model.invariants.refs
import lakeproof.model.invariants.repositories
import lakeproof.model.invariants.resets
import lakeproof.search.search
import lakeproof.verify.tasks  # noqa: F401
