"""Reduces bills on a Spark cluster; PySpark and Java are loaded only if that is used.

In: the SQL of a reduction and the Parquet files that it reads. Out: the reduced rows. Chapter:
docs/architecture.md.
"""
