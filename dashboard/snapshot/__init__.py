"""Reads the published snapshot for all pages: workloads, runs, and the rows behind numbers.

In: a `View` (the filters of an address) or a name. Out: lists of dictionaries with money as
`Decimal`. The SQL queries that several pages share are here; a page's own are in its folder's
`queries.py`, which reads through `snapshot.rows`. Chapter: docs/architecture.md.
"""
