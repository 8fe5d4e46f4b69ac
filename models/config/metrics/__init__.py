"""Maps metrics that sources deliver to columns of `progress`, by options of `[[sources]]`.

In: options of `[[sources]]` entries. Out: one `LineMeaning`, by which formats read the tags and
metrics of delivered lines. The rules are METHOD §3.1 (counters) and §3.3 (sources of progress).
"""
