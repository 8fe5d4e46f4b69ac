"""Compiles Ibis expressions to SQL text of one dialect, and caches it.

Input: Ibis expressions of formats and marts, with the columns of what they read. Output: SQL for
DuckDB, Spark, Athena and Trino. Chapter: docs/architecture.md.
"""
