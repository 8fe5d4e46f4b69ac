"""Reads the delivered rows behind a number: lines of bills, or rows of another delivered table.

In: a condition on rows of `spend_daily`, or a delivered table. Out: the first of the rows, how many
there are, their sum, and the files that contain them. Chapter: docs/architecture.md.
"""
