"""The reference implementation: effects, codec, stores and every flow of every design, variant by variant."""
