"""The data pipeline on Spark: datasets, the same invariants over them, and explorations that outgrow one machine."""
