"""Fetches data from AWS, schedulers, experiment trackers and files (docs/architecture.md).

In: the configured `[[sources]]`. Out: immutable deliveries in the raw zone, and beside them the
ledger of paid AWS requests. What a delivered field means is decided in `models`, never here.
"""
