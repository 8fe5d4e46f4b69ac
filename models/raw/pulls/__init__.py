"""Reads the journal of pulls: what was pulled when, and how each feed is doing.

In: the journal that `ingest` appends to, and the configured sources. Out: the newest pulls, and the
state of each feed, from which `freshness` is made. Chapter: METHOD §10.1.
"""
