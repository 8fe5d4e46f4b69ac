"""Sums delivered bill lines by day and by all that tells charges apart, stored per delivery.

In: the Parquet files of live deliveries. Out: views of them in our columns, `spend_reduced`, and
whatever else depends on one delivery alone. Chapter: docs/architecture.md; refunds: METHOD §2.2.
"""
