"""Computes what payers pay of the list price of GPU hours (METHOD §5.3).

In: `spend_daily`, prices, and the GPU machines that runs have used. Out: `payer_use`, the hours and
dollars of each payer in the 84 settled days up to a day, whoever used them; `applicable_discounts`,
those that are enough to lower a baseline.
"""
