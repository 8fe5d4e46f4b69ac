"""Writes what a build knows of its bills before it reads their lines: totals, months, days, fees.

In: the markers of deliveries, and the views of delivered rows. Out: rows for the tables of
`models.contract.schema.BESIDE`. Chapter: docs/architecture.md.
"""
