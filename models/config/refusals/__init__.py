"""Words of config errors: where a value is, the nearest valid name, values without secrets.

In: a name or value that was refused, or a text that may quote one. Out: the words for the one line
that a user reads. Chapter: docs/architecture.md.
"""
