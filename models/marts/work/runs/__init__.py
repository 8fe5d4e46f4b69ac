"""Computes each run's attributes, purpose, cost and results (METHOD §3 and §4).

In: what the bill, progress and the config state of each run, and the verdict on its lineage. Out:
`run_registry`, every run with its attributes, and the published mart `runs`.
"""
