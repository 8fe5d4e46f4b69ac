"""Builds tables and grids; their cells are text or decimal text, never markup.

In: rows of marts and the columns to show. Out: components for pages. Chapter: docs/architecture.md.
"""
