"""Says for each explained number which delivered rows it was computed from.

The keys are those of the explanations, as in the address `/source/<key>`.
"""

from __future__ import annotations

from collections.abc import Mapping

from dashboard.snapshot.rows_behind.clusters import ALL_POOLS, CLUSTERS, POOL_USE, WAITS
from dashboard.snapshot.rows_behind.rates import BLOCKS, BUYING, COVERAGE, OFFERED, RATES, SPOT
from dashboard.snapshot.rows_behind.savings import (
    ALL_SAVINGS,
    BASELINE,
    COMPARED_RUNS,
    COUNTED,
    JUDGED,
    MONTH,
    SAVED_IN_MONTH,
    SAVINGS,
)
from dashboard.snapshot.rows_behind.selection import Selection
from dashboard.snapshot.rows_behind.spend import (
    LEFT_OUT,
    SHARE,
    TIED,
    TIED_IN_RANGE,
    UNTAGGED_SPEND,
)
from dashboard.snapshot.rows_behind.work import COMPARED, EPOCHS, RESULT, RUNS
from dashboard.wording.explanations import (
    clusters,
    compare,
    decide,
    finance,
    overview,
    rates,
    runs,
    savings,
    trust,
    workload,
)

DELIVERIES = Selection(table="deliveries")
ROWS_BEHIND: Mapping[str, Selection] = {
    of.key: selection
    for selection, every in (
        (
            COUNTED,
            (savings.CURVE, savings.RETURN, savings.FORWARD, overview.RECOVERED),
        ),
        (COMPARED_RUNS, (overview.SAVED_OF_GPU, overview.PER_EPOCH)),
        (SAVED_IN_MONTH, (overview.MONTH,)),
        (
            SAVINGS,
            (
                decide.WHAT_IF,
                decide.CHECKLIST,
                decide.BENCHMARK,
                decide.ALTERNATIVES,
            ),
        ),
        (ALL_SAVINGS, (decide.PROSPECTS,)),
        (JUDGED, (savings.JUDGED,)),
        (RESULT, (workload.RESULT,)),
        (
            MONTH,
            (
                finance.STATEMENT,
                finance.TO_DATE,
                finance.ASIDE,
                finance.ADJUSTMENTS,
                finance.CONDITIONS,
                finance.CLOSES,
                finance.VERSIONS,
                finance.CLOSE,
            ),
        ),
        (SHARE, (overview.SHARE,)),
        (UNTAGGED_SPEND, (overview.UNTAGGED, trust.UNTAGGED_SHARE)),
        (LEFT_OUT, (overview.LEFT_OUT, trust.LEFT_OUT_ROWS)),
        (BASELINE, (overview.GPU_EPOCH, workload.BASELINE)),
        (EPOCHS, (overview.TRN_EPOCH, workload.EPOCH_COST)),
        (
            RUNS,
            (
                workload.LOSS,
                workload.WHERE,
                workload.RUNS,
                runs.ALL_RUNS,
                runs.RUN_GROUPS,
                runs.RUN_COST,
                runs.RUN_CHARGES,
                runs.RUN_JOBS,
            ),
        ),
        (COMPARED, (compare.COMPARED, compare.SPREAD)),
        (TIED, (finance.TIE_OUT,)),
        (TIED_IN_RANGE, (trust.TRUST_TIE_OUT,)),
        (RATES, (rates.RATES,)),
        (COVERAGE, (rates.COVERAGE,)),
        (SPOT, (rates.SPOT,)),
        (BLOCKS, (rates.BLOCKS,)),
        (OFFERED, (rates.OFFERED,)),
        (POOL_USE, (clusters.USE, clusters.HOLDERS, clusters.JOBS)),
        (ALL_POOLS, (clusters.POOLS,)),
        (WAITS, (clusters.WAITS,)),
        (CLUSTERS, (trust.CLUSTER_COVERAGE,)),
        (BUYING, (decide.BUYING,)),
        (DELIVERIES, (trust.TRUST_SOURCES, trust.INGEST_LOG, trust.RESTATED)),
    )
    for of in every
}
"""Key of an explanation → the rows behind its number."""
