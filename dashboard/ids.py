"""Every component id, so that no two files spell one differently.

Controls whose value the address keeps have an id `{"page": …, "view": <parameter>}`, so that
one browser callback follows all of them (`assets/view.js`).
"""

from __future__ import annotations

from dash import ALL

SNAPSHOT = "shell-snapshot"
POLL = "shell-poll"
FRESHNESS = "shell-freshness"

ANY_CONTROL = {"page": ALL, "view": ALL}

OVERVIEW_FROM = {"page": "overview", "view": "from"}
OVERVIEW_TO = {"page": "overview", "view": "to"}
OVERVIEW_HEADLINE = "overview-headline"
OVERVIEW_CURVE = "overview-curve"
OVERVIEW_TILES = "overview-tiles"
OVERVIEW_STANDINGS = "overview-standings"
OVERVIEW_SQL = "overview-sql"

WORKLOAD_FROM = {"page": "workload", "view": "from"}
WORKLOAD_TO = {"page": "workload", "view": "to"}
WORKLOAD_PERIOD = {"page": "workload", "view": "period"}
WORKLOAD_AXIS = {"page": "workload", "view": "axis"}
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
