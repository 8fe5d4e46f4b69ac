"""Simulates the demo company: what AWS, its training jobs and schedulers delivered, by day.

In: the bill of `data/sample` and its runs. Out: the bucket and the answers of AWS on four days of
2026, and what breakeven made of them (docs/architecture.md).
"""
