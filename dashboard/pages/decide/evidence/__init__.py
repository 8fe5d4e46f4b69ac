"""Renders what benchmarks show about a port, and which GPU could be rented instead.

In: `benchmarks` and `alternatives` of the workload. Out: two sections of the page (METHOD §5.6 and
§5.7), each a sentence and a table, or one line on how to fill it.
"""
