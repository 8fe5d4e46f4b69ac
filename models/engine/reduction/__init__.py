"""Sums delivered bill lines by day and by all that tells charges apart, stored per delivery.

Input: the Parquet files of live deliveries. Output: views of them in our columns, `spend_reduced`,
and whatever else depends on one delivery alone. Chapter: docs/architecture.md; refunds: METHOD
§2.2.
"""
