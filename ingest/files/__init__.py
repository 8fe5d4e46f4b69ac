"""Reads files of a folder, a glob or an S3 prefix through one interface.

In comes the `location` of a `[[sources]]` entry; out come its files, copied into a delivery as
Parquet with their checksums. Serves docs/architecture.md.
"""
