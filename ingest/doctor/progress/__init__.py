"""Checks progress for `breakeven doctor`: metrics, tracking servers, unmatched runs.

In come the progress sources and the published snapshot; out come findings on runs whose epochs or
costs stay unknown. Serves METHOD §3.
"""
