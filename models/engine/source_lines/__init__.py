"""Reads the delivered rows behind a number, as AWS and training reported them.

In: a condition on rows of `spend_daily`, or a delivered table. Out: the first of the rows, how many
there are, their sum, and the files that contain them. Chapter: docs/architecture.md.
"""
