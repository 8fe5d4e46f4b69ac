"""Checks access to AWS for `breakeven doctor`: clock, credentials, roles, regions, permissions.

In: the configured credentials and sources. Out: findings on what AWS does not accept. Every call is
free, or costs a thousandth of a cent and is in the ledger. Serves the `doctor` verb,
docs/architecture.md.
"""
