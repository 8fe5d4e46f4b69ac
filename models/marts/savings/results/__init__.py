"""Compares what a result costs and how long it takes, on GPU and on Trainium.

In: the lineages of the GPU baseline, those on Trainium, and when each began and stopped. Out:
`result_runs`, the lineages behind it, `results`, the pair per kind of work, and the columns that
`break_even` takes from it. Chapter: METHOD §4.5 and §4.6.
"""
