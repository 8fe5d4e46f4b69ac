"""Writes files for users: exports, statements of a month, and a what-if as text.

Input: rows of a snapshot, of the raw zone or of a close. Output: bytes of CSV, JSON, Parquet, XLSX
and PDF. Chapter: METHOD §7.
"""
