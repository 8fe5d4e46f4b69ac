"""Renders the page for addresses that do not exist.

In: any other address. Out: a sentence and a link back. Chapter: docs/architecture.md.
"""
