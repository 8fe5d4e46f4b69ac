"""What forecasts are drawn from: net saving by day, and cost per unit by run, at today's baseline.

In: savings by day, credited work, baselines. Out: `forecast_days` and `forecast_runs`. Chapter:
METHOD §6, "Forecast".
"""
