"""Reads files of a folder, a glob or an S3 prefix through one interface.

In: the `location` of a `[[sources]]` entry. Out: its files, copied into a delivery as Parquet with
their checksums. Serves docs/architecture.md.
"""
