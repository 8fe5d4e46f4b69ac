"""Reads the published runs: which of them an address asks for, by what they differ, in which unit.

In: the filters of an address. Out: SQL conditions with named parameters, and plain rows.
Chapter: docs/architecture.md.
"""
