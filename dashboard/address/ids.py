"""Defines the id of every Dash component, so that no two files spell one differently.

Controls whose value is in the URL have an id `{"page": …, "choice": <parameter>}`, `"many"` where
the parameter may be repeated, or `"range"` for a pair of dates, so that one browser callback
follows all of them (`assets/view.js`).

A page is notified of a new snapshot through its own `"new"`, because Dash refuses a callback if
some of its inputs are on a page that is not shown.
"""

from __future__ import annotations

from dash import ALL

SNAPSHOT = "shell-snapshot"
POLL = "shell-poll"
FRESHNESS = "shell-freshness"
STALE = "shell-stale"

ANY_CHOICE = {"page": ALL, "choice": ALL}
ANY_RANGE = {"page": ALL, "range": ALL}
ANY_MANY = {"page": ALL, "many": ALL}

ANY_NEW_SNAPSHOT = {"page": ALL, "new": ALL}

OVERVIEW_NEW_SNAPSHOT = {"page": "overview", "new": "snapshot"}
OVERVIEW_DAYS = {"page": "overview", "range": "days"}
OVERVIEW_SHOWN = {"page": "overview", "choice": "curve"}
OVERVIEW_EVERY = "overview-every"
OVERVIEW_HEADLINE = "overview-headline"
OVERVIEW_CURVE = "overview-curve"
OVERVIEW_TILES = "overview-tiles"
OVERVIEW_FORWARD = "overview-forward"
OVERVIEW_STANDINGS = "overview-standings"
OVERVIEW_SQL = "overview-sql"

WORKLOAD_NEW_SNAPSHOT = {"page": "workload", "new": "snapshot"}
WORKLOAD_DAYS = {"page": "workload", "range": "days"}
WORKLOAD_SHOWN = {"page": "workload", "choice": "curve"}
WORKLOAD_PERIOD = {"page": "workload", "choice": "period"}
WORKLOAD_AXIS = {"page": "workload", "choice": "axis"}
WORKLOAD_NAME = "workload-name"
WORKLOAD_HEADLINE = "workload-headline"
WORKLOAD_FORWARD = "workload-forward"
WORKLOAD_CURVE = "workload-curve"
WORKLOAD_EPOCH_COST = "workload-epoch-cost"
WORKLOAD_LOSS = "workload-loss"
WORKLOAD_DOLLARS = "workload-dollars"
WORKLOAD_RUNS = "workload-runs"
WORKLOAD_GRID = "workload-grid"
WORKLOAD_BASELINE = "workload-baseline"
WORKLOAD_SQL = "workload-sql"

RUNS_NEW_SNAPSHOT = {"page": "runs", "new": "snapshot"}
RUNS_DAYS = {"page": "runs", "range": "days"}
RUNS_WHERE = {"page": "runs", "many": "where"}
RUNS_COLUMNS = {"page": "runs", "many": "columns"}
RUNS_GROUP = {"page": "runs", "choice": "group"}
RUNS_NAMED = {"page": "runs", "choice": "named"}
RUNS_SORT = {"page": "runs", "choice": "sort"}
RUNS_RUN = {"page": "runs", "choice": "run"}
RUNS_HEADLINE = "runs-headline"
RUNS_GROUPS = "runs-groups"
RUNS_GRID = "runs-grid"
RUNS_PANEL = "runs-panel"
RUNS_SQL = "runs-sql"

COMPARE_NEW_SNAPSHOT = {"page": "compare", "new": "snapshot"}
COMPARE_DAYS = {"page": "compare", "range": "days"}
COMPARE_WHERE = {"page": "compare", "many": "where"}
COMPARE_BY = {"page": "compare", "choice": "by"}
COMPARE_THEN = {"page": "compare", "choice": "then"}
COMPARE_BASIS = {"page": "compare", "choice": "basis"}
COMPARE_LAYOUT = {"page": "compare", "choice": "layout"}
COMPARE_HEADLINE = "compare-headline"
COMPARE_BARS = "compare-bars"
COMPARE_GRID = "compare-grid"
COMPARE_TABLE = "compare-table"
COMPARE_SPREAD = "compare-spread"
COMPARE_SQL = "compare-sql"

DECIDE = "decide"
DECIDE_NEW_SNAPSHOT = {"page": DECIDE, "new": "snapshot"}
DECIDE_WORKLOAD = {"page": DECIDE, "pick": "workload"}
DECIDE_ASKED = ("runs", "gpu", "trn", "port", "upkeep", "gpu_price", "trn_price")
DECIDE_RANKING = ("effort", "least", "most", "rate", "share")
DECIDE_BUYING = ("machine", "hours", "used")
DECIDE_CHECKED = ("arch", "cloud", "team", "serve", "plan", "budget", "horizon")
DECIDE_LEANS = {
    name: f"decide-lean-{name}"
    for name in (
        "spend",
        "arch",
        "budget",
        "cloud",
        "team",
        "pattern",
        "serve",
        "horizon",
        "plan",
    )
}
DECIDE_VERDICT = "decide-verdict"
DECIDE_FACTS = "decide-facts"
DECIDE_WAYS = "decide-ways"
DECIDE_OF = "decide-of"
DECIDE_AGAIN = "decide-again"
DECIDE_BODY = "decide-body"
DECIDE_HEADLINE = "decide-headline"
DECIDE_RESULT = "decide-result"
DECIDE_RANKED = "decide-ranked"
DECIDE_SQL = "decide-sql"

FINANCE_NEW_SNAPSHOT = {"page": "finance", "new": "snapshot"}
FINANCE_MONTH = {"page": "finance", "choice": "month"}
FINANCE_VERSION = {"page": "finance", "choice": "version"}
FINANCE_AGAINST = {"page": "finance", "choice": "against"}
FINANCE_BODY = "finance-body"
FINANCE_CLOSE = "finance-close"
FINANCE_FORM = "finance-form"
FINANCE_OBSTACLES = "finance-obstacles"
FINANCE_REMAINDER = "finance-remainder"
FINANCE_REASON = "finance-reason"
FINANCE_AGAIN = "finance-again"
FINANCE_MESSAGE = "finance-message"
FINANCE_CLOSED = "finance-closed"
FINANCE_SQL = "finance-sql"

RATES_NEW_SNAPSHOT = {"page": "rates", "new": "snapshot"}
RATES_DAYS = {"page": "rates", "range": "days"}
RATES_PERIOD = {"page": "rates", "choice": "period"}
RATES_HEADLINE = "rates-headline"
RATES_CURVE = "rates-curve"
RATES_COVERAGE = "rates-coverage"
RATES_SPOT = "rates-spot"
RATES_BLOCKS = "rates-blocks"
RATES_OFFERED = "rates-offered"
RATES_SQL = "rates-sql"

CLUSTERS_NEW_SNAPSHOT = {"page": "clusters", "new": "snapshot"}
CLUSTERS_POOL = {"page": "clusters", "choice": "pool"}
CLUSTERS_DAYS = {"page": "clusters", "range": "days"}
CLUSTERS_WORKLOAD = {"page": "clusters", "choice": "workload"}
CLUSTERS_HEADLINE = "clusters-headline"
CLUSTERS_USE = "clusters-use"
CLUSTERS_MONTHS = "clusters-months"
CLUSTERS_HOLDERS = "clusters-holders"
CLUSTERS_WAITS = "clusters-waits"
CLUSTERS_JOBS = "clusters-jobs"
CLUSTERS_SQL = "clusters-sql"

SOURCE_NEW_SNAPSHOT = {"page": "source", "new": "snapshot"}
SOURCE_ASKED = "source-asked"
SOURCE_EXPLANATION = "source-explanation"
SOURCE_ROWS = "source-rows"

TRUST_NEW_SNAPSHOT = {"page": "trust", "new": "snapshot"}
TRUST_DAYS = {"page": "trust", "range": "days"}
TRUST_TIED = {"page": "trust", "choice": "tied"}
TRUST_HEADLINE = "trust-headline"
TRUST_SOURCES = "trust-sources"
TRUST_TIE_OUT = "trust-tie-out"
TRUST_RESTATED = "trust-restated"
TRUST_LEFT_OUT = "trust-left-out"
TRUST_CLUSTERS = "trust-clusters"
TRUST_LOG = "trust-log"
TRUST_AUDIT = "trust-audit"
TRUST_SQL = "trust-sql"
