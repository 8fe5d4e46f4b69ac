"""Delivered lines reduced to one row per day, SKU and run, kept per delivery.

In: the Parquet files of live deliveries. Out: views of them in our columns, `spend_reduced`, and
what rests on a delivery alone. Chapter: docs/architecture.md; refunds: METHOD §2.2.
"""
