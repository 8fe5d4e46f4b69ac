"""Determines whether each workload has paid for its migration, and when it will (METHOD §6).

In: savings and investment by day, verdicts, forecasts. Out: `standings` of every month and
`break_even` as of the last settled day. Chapter: METHOD §6.4; the status has its own, §6.5.
"""
