"""The GPU lineages that a baseline rests on: ended, qualifying, in the window, omitted (METHOD §5).

In: `lineage_facts` and `comparable`, and the prices and hours that decide when a baseline changes.
Out: `baseline_window`, the lineages of each kind of work from each day on; `qualifying_runs`, how
many there are at all; `omissions`, which are left out, in words.
"""
