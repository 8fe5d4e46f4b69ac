"""Builds SQL for the runs that a URL's filters select; reads runs' dimensions and units.

In: the filters of an address. Out: SQL conditions with named parameters, and plain rows.
Chapter: docs/architecture.md.
"""
