"""The exhaustive search with its levels on Spark."""
