"""Selects the GPU runs that a baseline is computed from (METHOD §5.1).

In: `lineage_facts` and `comparable`, and the prices and hours that decide when a baseline changes.
Out: `baseline_window`, the lineages of each kind of work from each day on; `qualifying_runs`, how
many there are at all; `omissions`, which are left out, in words.
"""
