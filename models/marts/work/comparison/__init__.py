"""Comparable work: which lineages compare, of which kind they are, and in what unit (METHOD §3.4).

In: `lineage_facts` and the steps of token counters. Out: `kinds`, the unit of each kind of work;
`comparable`, per lineage its kind and its work in that unit; `unit_daily`, the days in it.
"""
