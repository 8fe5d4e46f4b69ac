"""Forecasts and scenarios: when a migration pays back, how sure that is, and what if it were made.

In: rows of the marts and the config, as plain Python values. Out: rows of `forecasts` and
`forecast_paths`, and the outcome of a what-if; nothing here reads or writes a table. Chapter:
METHOD §6, "Forecast" and "Forward".
"""
