"""Comparable work: which lineages compare, of which kind they are, and in what unit (METHOD §3.4).

In: `lineage_facts` and the steps of token counters. Out: `comparable`, per lineage its kind of work
and its work in the kind's unit.
"""
