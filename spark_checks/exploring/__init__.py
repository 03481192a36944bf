"""The exhaustive search with its levels on Spark, and sweeps of seeds for walks."""
