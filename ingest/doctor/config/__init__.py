"""Checks `breakeven.toml` and the local files it names for `breakeven doctor`.

In: the settings. Out: findings on sources that are missing, files that cannot be read, and names
that no bill and no progress has. Serves the `doctor` verb, docs/architecture.md.
"""
