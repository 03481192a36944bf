"""Linearizability of a recorded history: could each operation have taken effect at one moment between call and return?

One question, three algorithms, chosen key by key: `zones` where every observed value has one possible writer,
`frontier` for any register, `search` for any specification. Each is exact where it answers. See
docs/histories.md; `lakeproof.model.linearizable` is the monitor that the exhaustive search of schedules uses.

Source: M. Herlihy, J. Wing, Linearizability, 1990.
"""
