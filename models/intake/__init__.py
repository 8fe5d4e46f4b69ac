"""Checks what `ingest` fetched before it enters the raw zone, and converts text to Parquet.

In: downloaded files in a staging folder. Out: totals per account, or an `InputError` of one line:
the file, the value, the remedy. A delivery is accepted whole or not at all; values get their types
and meaning later, in `models.formats`. Chapter: docs/architecture.md.
"""
