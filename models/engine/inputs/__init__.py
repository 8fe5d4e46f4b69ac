"""The tables that a build fills from Python, beside the delivered rows.

In: the config, the markers of deliveries, the journals of pulls and the closes. Out: the tables of
`models.contract.schema.CONFIG` and `BESIDE`. Chapter: docs/architecture.md.
"""
