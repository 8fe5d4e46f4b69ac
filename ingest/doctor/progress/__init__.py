"""Checks progress for `breakeven doctor`: metrics, tracking servers, unmatched runs.

In: the progress sources and the published snapshot. Out: findings on runs whose epochs or costs
stay unknown. Serves METHOD §3.
"""
