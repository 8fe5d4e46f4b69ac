"""Determines which runs compare with GPU, their training recipe and its unit (METHOD §3.4).

In: `lineage_facts` and the steps of token counters. Out: `comparable`, per lineage its kind and its
work in the unit of that kind; `kinds`, the kinds with their units; `unit_daily`, the days in it.
"""
