"""Rules of METHOD on work: its kinds and units, whose progress counts, and how long it took.

In: rows of marts. Out: expressions and tables, as from the other rules.
"""
