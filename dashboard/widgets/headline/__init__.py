"""Builds the head of Overview and of each workload's page: the answer and its basis.

In: rows of the snapshot. Out: the sentence, the curve of net savings, returns, what each further
month adds, and how much spend is compared. Chapter: METHOD §6.
"""
