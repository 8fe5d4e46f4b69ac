"""The reduction on a Spark cluster; nothing of PySpark or Java is imported before it is asked for.

In: the SQL of a reduction and the Parquet files that it reads. Out: the reduced rows. Chapter:
docs/architecture.md.
"""
