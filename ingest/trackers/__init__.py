"""Groups runs of MLflow and W&B by day and as tables; has helpers for TensorBoard and Lightning.

In: runs with the time at which they began. Out: days of runs, the tables of what they logged, and
notices on runs that name no workload. Serves METHOD §3.3.
"""
