"""Checks access to AWS for `breakeven doctor`: clock, credentials, roles, regions, permissions.

In come the configured credentials and sources; out come findings on what AWS does not accept.
Every call is free, or costs a thousandth of a cent and is in the ledger. Serves the `doctor`
verb, docs/architecture.md.
"""
