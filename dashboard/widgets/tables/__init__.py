"""Builds HTML tables, and grids whose cells are text and numbers, never markup.

In: rows of marts and the columns to show. Out: components for pages. Chapter: docs/architecture.md.
"""
