"""Writes the tables of a build that come from Python instead of delivered rows.

In: the config, the markers of deliveries, the journals of pulls and the closes. Out: the tables of
`models.contract.schema.CONFIG` and `BESIDE`. Chapter: docs/architecture.md.
"""
