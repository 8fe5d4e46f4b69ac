"""How data arrives (docs/architecture.md): fetches what AWS, trackers and files hold, unchanged.

In come the configured `[[sources]]`; out go immutable deliveries in the raw zone, and beside them
the ledger of paid AWS requests. What a delivered field means is decided in `models`, never here.
"""
