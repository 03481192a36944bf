"""Mutants of flows: small faults of this field in the code of a design, each judged by the design's scenarios."""
