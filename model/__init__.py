"""What must hold: records, key schema, sequential specifications, invariants. Pure values and functions."""
