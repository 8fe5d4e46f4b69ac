"""The meaning of the data: from delivered files to published figures and closed months.

In: the files that `ingest` delivered, and `breakeven.toml`. Out: the published snapshot, closed
months, statements and exports. All chapters of METHOD; docs/architecture.md lists which package
holds which.
"""
