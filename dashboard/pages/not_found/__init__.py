"""Not found: the page of an address that leads nowhere.

In: any other address. Out: a sentence and the way back. Chapter: docs/architecture.md
(METHOD says nothing of it).
"""
