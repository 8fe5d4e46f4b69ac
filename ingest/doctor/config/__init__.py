"""Checks `breakeven.toml` and the local files it names for `breakeven doctor`.

In come the settings; out come findings on sources that are missing, files that cannot be read, and
names that no bill and no progress has. Serves the `doctor` verb, docs/architecture.md.
"""
