"""The repaired service, seen from the flows of Step 1."""

from blind import service

PROFILE = service("repaired")
