"""The delivered rows behind a number, as AWS and training reported them.

In: a condition on rows of `spend_daily`, or a delivered table. Out: the first of the rows, how many
there are, what they come to and the files that they stand in. Chapter: docs/architecture.md.
"""
