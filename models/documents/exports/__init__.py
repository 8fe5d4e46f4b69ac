"""Exports marts and delivered rows as files: CSV, JSON, Parquet.

In: the name of a mart or delivered table, and a month. Out: its rows in the contract's columns,
written whole or not at all. Chapter: docs/architecture.md.
"""
