"""Selects each platform's window of GPU runs, and the platforms that may be the baseline.

A window belongs to the platform `candidate`. It is empty where runs of several platforms are
pooled, because none has enough runs of its own.

Example with 8 runs a window: of nine runs on p4d and two on p5, the window of p4d holds the latest
eight, that of p5 both. Each is a candidate: two runs are enough, and 20 epochs are more than a
tenth of all 100.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.rules.work.kinds_of_work import CANDIDATE, KIND, KIND_SINCE, SEVERAL
from models.marts.baseline.windows.failed_runs import with_failed_runs

LEAST_SHARE = 10
"""A candidate's window holds at least one part in so many of the work in all windows."""


def candidates(pairs: ir.Table, failed: ir.Table, settings: Settings) -> ir.Table:
    """Selects each GPU platform's latest runs and failed ones among them, if enough for a baseline.

    `pairs` are qualifying lineages × `since`; those that are `recent` may be in a window.
    """
    recent = pairs.filter(pairs.recent)
    order = ibis.window(
        group_by=[*KIND_SINCE, "platform"], order_by=[ibis.desc(recent.ended_at), recent.lineage]
    )
    ranked = recent.mutate(place=ibis.row_number().over(order), candidate=recent.platform)
    latest = ranked.filter(ranked.place < settings.baseline.most_runs)
    of_platform = failed.mutate(candidate=failed.platform)
    members = with_failed_runs(latest, of_platform, [*KIND, "candidate"])
    sums = members.group_by(CANDIDATE).agg(
        runs=members.lineage.count(where=members.qualifies), work=members.work.sum()
    )
    # a column of its own: within the filter, Ibis would sum the platforms with enough runs alone
    sums = sums.mutate(whole=sums.work.sum().over(ibis.window(group_by=KIND_SINCE)))
    enough = sums.runs >= settings.baseline.min_runs
    may = sums.filter(enough & (sums.work * LEAST_SHARE >= sums.whole))
    return members.semi_join(may, CANDIDATE)


def pooled_window(pairs: ir.Table, failed: ir.Table, settings: Settings) -> ir.Table:
    """Selects the latest GPU runs of all platforms as one window, failed ones included.

    Those that are `recent`; of fewer than `min_runs` the latest whatever their age, and then the
    earliest that end later.
    """
    least, most = settings.baseline.min_runs, settings.baseline.most_runs
    day = ibis.window(group_by=KIND_SINCE)
    order = ibis.window(group_by=KIND_SINCE, order_by=[pairs.later, pairs.far, pairs.lineage])
    ranked = pairs.mutate(
        place=ibis.row_number().over(order),
        inside=pairs.recent.sum().over(day),
        known=pairs.count().over(day),
    )
    held = ibis.ifelse(ranked.inside >= least, ibis.least(ranked.inside, most), least)
    chosen = ranked.filter((ranked.place < held) & (ranked.known >= least))
    several = chosen.platform.min().over(day) != chosen.platform.max().over(day)
    chosen = chosen.mutate(candidate=ibis.ifelse(several, SEVERAL, chosen.platform))
    return with_failed_runs(chosen, failed, KIND)
