"""A counterexample to look at: a page for browsers, pictures, and the formats of other viewers."""
