"""Writes files for users: exports, statements of a month, and a what-if as text.

In: rows of a snapshot, of the raw zone or of a close. Out: bytes of CSV, JSON, Parquet, XLSX and
PDF. Chapter: METHOD §7.
"""
