"""Renders Clusters: who occupies machines that jobs share, and how much of them is idle.

In: accelerator-hours and cost of each pool by day and owner, and the jobs of runs. Out: the page.
METHOD §2.10.
"""
