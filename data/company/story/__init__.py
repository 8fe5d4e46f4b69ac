"""Simulates the demo company: what AWS, its training jobs and schedulers delivered, by day.

In comes the bill of `data/sample` and its runs; out go the bucket and the answers of AWS on four
days of 2026, and what breakeven made of them (docs/architecture.md).
"""
