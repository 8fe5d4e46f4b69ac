"""Sums delivered bill lines to one row per day, SKU and run, stored per delivery.

Input: the Parquet files of live deliveries. Output: views of them in our columns, `spend_reduced`,
and whatever else depends on one delivery alone. Chapter: docs/architecture.md; refunds: METHOD
§2.2.
"""
