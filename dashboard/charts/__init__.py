"""Draws the figures that several pages show, and defines the layout of all figures.

In: rows. Out: Plotly figures as plain dictionaries. Nothing here reads data or knows an id.
Chapter: docs/architecture.md.
"""
