"""Stores deliveries unchanged in the raw zone, and reads the journal of the pulls behind them.

In come files that `ingest` fetched and `models.intake` checked; out go the deliveries that count,
the newest complete one of each key. Also finds what a later delivery changed (restatements,
METHOD §7) and how each feed is doing (freshness).
"""
