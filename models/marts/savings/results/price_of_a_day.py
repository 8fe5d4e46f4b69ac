"""Computes how much longer a run takes on Trainium, and what a day of that saves (METHOD §4.5).

`delay_hours` is how much longer a run takes on Trainium than the same work took on GPU, and
`price_of_a_day` what a day of that delay is paid with: net saving of a lineage of the recent window
÷ delay × 24. Example: 14.5 hours an epoch instead of 10.0 and 4 epochs are 18 hours of delay; with
$72 saved a lineage a day later brings $96. It is null where nothing is saved, or nothing delayed.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.contract.joins import left_join
from models.contract.money import product, ratio
from models.contract.rules.work.kinds_of_work import of_main_kind
from models.contract.schema import NUMBER

SIDES = {"gpu": "gpu", "trn": "trainium"}
HOURS_A_DAY = 24


def with_results(rows: ir.Table, results: ir.Table) -> ir.Table:
    """Adds cost per result and hours per unit on both chips, delay, and saving per day of it."""
    rows = left_join(rows, _pairs(of_main_kind(results)), ["workload"])
    longer = rows.trn_hours_per_unit - rows.gpu_hours_per_unit
    rows = rows.mutate(delay_hours=product(longer, rows.trn_work))
    each = ratio(rows.recent_net_saving, rows.recent_runs.cast(NUMBER))
    price = ratio(product(each, ibis.literal(HOURS_A_DAY)), rows.delay_hours)
    paid = (rows.delay_hours > 0) & (each > 0)
    return rows.mutate(price_of_a_day=ibis.ifelse(paid, price, None)).drop("trn_work")


def _pairs(main: ir.Table) -> ir.Table:
    """Returns cost per result and hours per unit on GPU and Trainium, a row per workload."""
    on = {short: main.hardware == hardware for short, hardware in SIDES.items()}
    return main.group_by("workload").agg(
        trn_work=main.median_work.max(where=on["trn"]),
        **{
            f"{side}_cost_per_result": main.cost_per_result.max(where=is_)
            for side, is_ in on.items()
        },
        **{
            f"{side}_hours_per_unit": main.hours_per_epoch.max(where=is_)
            for side, is_ in on.items()
        },
    )
