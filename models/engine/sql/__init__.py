"""Compiles Ibis expressions to SQL text of one dialect, and caches it.

In: Ibis expressions of formats and marts, with the columns of what they read. Out: SQL for DuckDB,
Spark, Athena and Trino. Chapter: docs/architecture.md.
"""
