"""Prepares the samples of forecasts: daily net saving and runs, at today's baseline.

In: savings by day, credited work, baselines. Out: `forecast_days` and `forecast_runs`. Chapter:
METHOD §6, "Forecast".
"""
