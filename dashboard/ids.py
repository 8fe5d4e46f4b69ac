"""Every component id, so that no two files spell one differently.

Controls that the address keeps have an id `{"page": …, "choice": <parameter>}`, or `"range"` for
a pair of dates, so that one browser callback follows all of them (`assets/view.js`).
"""

from __future__ import annotations

from dash import ALL

SNAPSHOT = "shell-snapshot"
POLL = "shell-poll"
FRESHNESS = "shell-freshness"
STALE = "shell-stale"

ANY_CHOICE = {"page": ALL, "choice": ALL}
ANY_RANGE = {"page": ALL, "range": ALL}

OVERVIEW_DAYS = {"page": "overview", "range": "days"}
OVERVIEW_HEADLINE = "overview-headline"
OVERVIEW_CURVE = "overview-curve"
OVERVIEW_TILES = "overview-tiles"
OVERVIEW_STANDINGS = "overview-standings"
OVERVIEW_SQL = "overview-sql"

WORKLOAD_DAYS = {"page": "workload", "range": "days"}
WORKLOAD_PERIOD = {"page": "workload", "choice": "period"}
WORKLOAD_AXIS = {"page": "workload", "choice": "axis"}
WORKLOAD_NAME = "workload-name"
WORKLOAD_HEADLINE = "workload-headline"
WORKLOAD_CURVE = "workload-curve"
WORKLOAD_EPOCH_COST = "workload-epoch-cost"
WORKLOAD_LOSS = "workload-loss"
WORKLOAD_DOLLARS = "workload-dollars"
WORKLOAD_RUNS = "workload-runs"
WORKLOAD_GRID = "workload-grid"
WORKLOAD_BASELINE = "workload-baseline"
WORKLOAD_SQL = "workload-sql"
