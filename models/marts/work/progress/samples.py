"""Removes samples that are dated after today, and what a second source says of the same run.

A clock that runs ahead dates a sample to a day that has not come; its rise would be spread over the
days until then, settled ones too (METHOD §3.2). `CLOCK_SKEW` past midnight is let pass: it
touches no settled day. Runs with a later sample carry the flag `future_samples`.

Of a run that several sources report, the first in the order of METHOD §3.3 that tells a measure
(epoch, samples, tokens, loss) counts for it. United, two sources would make progress that neither
has seen. `differing_sources` names those that tell otherwise.

Samples without a time of their own are laid over the time that the run's jobs held machines
(`held_samples`).
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.rules.clock_skew import CLOCK_SKEW
from models.contract.rules.progress_sources import rank
from models.marts.work.progress.held_samples import with_held_times

RUN = ("workload", "run")
MEASURES = ("epoch", "samples", "tokens", "loss")


@step(
    grain="one row per sample of `progress`",
    units="epochs, samples and tokens, cumulative; times UTC",
    nulls="as delivered, times never; counters, loss: also where another source counts",
    method="§3.2, §3.3",
    whose="run",
)
def samples(progress: ir.Table, held_jobs: ir.Table, settings: Settings) -> ir.Table:
    """Keeps samples up to two hours (`CLOCK_SKEW`) after today, each measure of one source."""
    given = until_today(with_held_times(progress, held_jobs), settings)
    several = of_several_sources(given)
    alone = given.anti_join(several, RUN)
    place = rank(given.source)
    first = given.group_by(*RUN).agg(
        **{f"first_{name}": place.min(where=given[name].notnull()) for name in MEASURES}
    )
    both = given.join(first.semi_join(several, RUN), RUN)
    counted = both.mutate(
        **{
            name: ibis.ifelse(rank(both.source) == both[f"first_{name}"], both[name], None)
            for name in MEASURES
        }
    )
    return alone.union(counted.select(alone.columns))


def until_today(progress: ir.Table, settings: Settings) -> ir.Table:
    """Drops progress samples dated more than two hours (`CLOCK_SKEW`) after the end of today."""
    midnight = datetime.combine(settings.today + timedelta(days=1), time())
    return progress.filter(progress.observed_at <= ibis.literal(midnight + CLOCK_SKEW))


def of_several_sources(given: ir.Table) -> ir.Table:
    """Lists the runs that several kinds of source report."""
    runs = given.group_by(*RUN).agg(few=given.source.min(), many=given.source.max())
    return runs.filter(runs.few != runs.many).select(*RUN)
