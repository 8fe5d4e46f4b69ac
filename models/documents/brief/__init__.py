"""Typesets the one-page brief of a workload, for a meeting that decides about its move.

In: a `Brief`, every word and figure of it as text. Out: a PDF of exactly one A4 page. Chapter:
METHOD §6.
"""

from __future__ import annotations
