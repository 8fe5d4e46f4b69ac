"""Checks this machine for `breakeven doctor`: disk, request ledger, recipients' folders, snapshot.

In: the data folder. Out: findings on what keeps pulls and builds from being written. Serves the
`doctor` verb, docs/architecture.md.
"""
