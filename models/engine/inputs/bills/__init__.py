"""Computes tables about a build's bills in Python: totals, newest months, days, block fees, ….

In: the markers of deliveries, and the views of delivered rows. Out: rows for the tables of
`models.contract.schema.BESIDE`. Chapter: docs/architecture.md.
"""
