"""The repository life cycle, variant by variant: `naive`, `kv3`, `step1`, `step2`, `hardened`."""
