"""What leaves the product as a file: exports, statements of a month, a what-if in words.

In: rows of a snapshot, of the raw zone or of a close. Out: bytes of CSV, JSON, Parquet, XLSX and
PDF. Chapter: METHOD §7.
"""
