"""Progress of runs: counted by high-water mark, per lineage, and spread over days (METHOD §3).

In: the samples that runs reported. Out: `progress_steps`, how far each sample moved its lineage,
and `progress_daily`, the same by UTC day.
"""
