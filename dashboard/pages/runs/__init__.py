"""Renders Runs: every run with its cost and progress, and the panel of one run.

In: the `runs` mart and the filters of the address. Out: a grid that is filled block by block.
METHOD §3 and §4.
"""
