"""Generates the sample, from which the demo company grows: runs, their bill and their progress.

In: public prices, and the runs and dates of a made-up company. Out: the files of `data/sample`: a
bill in two FOCUS versions, and progress. Chapter: docs/architecture.md.
"""
