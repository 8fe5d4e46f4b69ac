"""Runs a build: from the raw zone to a published snapshot.

In: deliveries, the config, and the expressions of formats and marts. Out: `warehouse.duckdb`, which
can be recreated, and snapshots that readers open. Chapter: docs/architecture.md.
"""
