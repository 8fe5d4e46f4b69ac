"""Stores deliveries unchanged in the raw zone; the journal of the pulls behind them is in `pulls`.

In: files that `ingest` fetched and `models.intake` checked. Out: the deliveries that count, the
newest complete one of each key. Also finds what a later delivery changed (`restated_totals`, METHOD
§10.2).
"""
