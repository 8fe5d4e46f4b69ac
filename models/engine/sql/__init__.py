"""Expressions as SQL text of one dialect, compiled once and remembered.

In: Ibis expressions of formats and marts, with the columns of what they read. Out: SQL for DuckDB,
Spark, Athena and Trino. Chapter: docs/architecture.md.
"""
