"""Opens DuckDB files: the warehouse, published snapshots, and the lock between writers.

In: paths, SQL and rows. Out: connections, published snapshots and rows of them; nobody else opens
DuckDB. Chapter: docs/architecture.md.
"""
