"""Counts the progress of runs by high-water mark, per lineage of runs and per day (METHOD §3).

In: the samples that runs reported. Out: `progress_steps`, how far each sample moved its lineage,
and `progress_daily`, the same by UTC day.
"""
