"""Turns the runs that a tracker lists into deliveries, alike for MLflow and W&B.

In come runs with the time at which they began; out come days of runs, the tables of what they
logged, and notices on runs that name no workload. Serves METHOD §3.3.
"""
