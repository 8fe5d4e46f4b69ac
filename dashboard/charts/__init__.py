"""Figures that several pages show, and the frame that every figure is drawn in.

In: rows. Out: Plotly figures as plain dictionaries. Nothing here reads data or knows an id.
Chapter: docs/architecture.md.
"""
