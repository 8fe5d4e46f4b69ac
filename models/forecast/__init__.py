"""Forecasts when a migration pays back, with an interval, and computes what-ifs.

In: rows of the marts and the config, as plain Python values. Out: rows of `forecasts` and
`forecast_paths`, and the outcome of a what-if; nothing here reads or writes a table. Chapter:
METHOD §6, "Forecast" and "Forward".
"""
