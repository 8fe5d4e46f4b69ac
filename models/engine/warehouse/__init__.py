"""DuckDB files: the one that is written, the snapshots that are read, and the lock between writers.

In: paths, SQL and rows. Out: connections, published snapshots and rows of them; nobody else opens
DuckDB. Chapter: docs/architecture.md.
"""
