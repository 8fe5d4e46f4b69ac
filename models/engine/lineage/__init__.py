"""Traces from which tables and columns a number is computed, by reading the code alone.

In: the name of a mart or of a column of one. Out: every table on its way, with its file, its
meaning and the columns that matter. Chapter: docs/architecture.md (`breakeven lineage`).
"""
