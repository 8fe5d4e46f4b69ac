"""Renders Overview: whether the move has paid for itself, and which workloads need attention.

In: standings, daily savings, months and untagged spend. Out: the first page. METHOD §6 and §7.
"""
