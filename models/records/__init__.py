"""Keeps what cannot be made again: closed months, the audit trail, tokens; and backs it up.

In: the rows of a statement, who closed it and when; what people did. Out: files under `closes/`
that are written once and read back whole, the audit trail, tokens as hashes, and backups of all.
Chapter: METHOD §7; for who runs it: docs/operations/backup.md.
"""
