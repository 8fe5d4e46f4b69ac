"""Builds components that several pages show: cards, grids, filters, notices, explanations.

In: rows, words and ids. Out: Dash components. Nothing here reads data: that is the pages' task.
Chapter: docs/architecture.md.
"""
