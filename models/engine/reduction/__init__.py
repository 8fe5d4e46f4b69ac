"""Sums bill lines per delivery, day, account, SKU, run and more, and stores the sums.

In: the Parquet files of live deliveries. Out: views of them in our columns, `spend_reduced`, and
whatever else depends on one delivery alone. Chapter: docs/architecture.md; refunds: METHOD §2.2.
"""
