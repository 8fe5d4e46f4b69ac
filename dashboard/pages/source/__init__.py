"""Renders Source: the inputs, the SQL and the delivered rows behind one number.

In: the key of an explanation and the filters of the page it was on. Out: its formula filled in,
and the lines of the bill or samples of progress that it was computed from. Chapter: that of the
number in METHOD; reading source rows on demand: docs/architecture.md.
"""
