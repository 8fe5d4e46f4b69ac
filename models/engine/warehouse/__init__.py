"""Opens the warehouse for one writer at a time, and publishes and reads snapshots (DuckDB files).

In: paths, SQL and rows. Out: connections, published snapshots and rows of them; nobody else opens
DuckDB. Chapter: docs/architecture.md.
"""
