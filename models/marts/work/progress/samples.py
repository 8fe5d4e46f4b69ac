"""Drops samples dated over two hours after today, and a second source's values for a run.

A clock that runs ahead dates a sample to a future day; its progress would be spread over the days
until then, settled ones too (METHOD §3.2). Samples up to `CLOCK_SKEW` past midnight are kept,
because they change no settled day. Runs with a later sample have the flag `future_samples`.

If several sources report a run, each measure (epoch, samples, tokens, loss) comes from the first
source in the order of METHOD §3.3 that has it. United, two sources would make progress that neither
has seen. `differing_sources` lists those that disagree. Steps of known size are tokens and samples
(`tokens_and_samples_from_steps`).

Where no run of a workload ever reports an epoch above 0, epochs say nothing: streams without length
keep that counter at 0. A run that counts tokens or samples has none then, so that these are checked
as those of a run without epochs.

Samples without a time of their own are laid over the time that the run held machines
(`held_samples`).
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

import ibis
import ibis.expr.types as ir

from models.config.settings import Settings
from models.contract.declaration import step
from models.contract.rules.clock_skew import CLOCK_SKEW
from models.contract.rules.work.progress_sources import rank
from models.marts.work.progress.held_samples import with_held_times
from models.marts.work.progress.tokens_and_samples_from_steps import with_tokens_and_samples

RUN = ("workload", "run")
MEASURES = ("epoch", "samples", "tokens", "loss")


@step(
    grain="one row per sample of `progress`",
    units="epochs, samples and tokens, cumulative; times UTC",
    nulls="as delivered, times never; counters, loss: also where another source counts",
    method="§3.2, §3.3",
    whose="run",
)
def samples(
    progress: ir.Table,
    held_times: ir.Table,
    charge_kinds: ir.Table,
    config_runs: ir.Table,
    config_workloads: ir.Table,
    settings: Settings,
) -> ir.Table:
    """Keeps samples up to two hours after today's end, each measure from one source per run."""
    timed = with_held_times(progress, held_times, charge_kinds, config_runs)
    given = until_today(timed, config_workloads, settings)
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
    return _without_unused_epochs(alone.union(counted.select(alone.columns)))


def _without_unused_epochs(rows: ir.Table) -> ir.Table:
    """Drops epochs that stay at 0 in all runs of a workload, of runs with tokens or samples."""
    rising = rows.filter(rows.epoch > 0).select("workload").distinct()
    others = rows.filter(rows.tokens.notnull() | rows.samples.notnull()).select(RUN).distinct()
    without = others.anti_join(rising, "workload")
    unused = rows.semi_join(without, RUN).mutate(epoch=ibis.null(rows.epoch.type()))
    return rows.anti_join(without, RUN).union(unused.select(rows.columns))


def until_today(progress: ir.Table, config_workloads: ir.Table, settings: Settings) -> ir.Table:
    """Drops samples dated over two hours after today's end; converts steps to tokens or samples."""
    midnight = datetime.combine(settings.today + timedelta(days=1), time())
    given = progress.filter(progress.observed_at <= ibis.literal(midnight + CLOCK_SKEW))
    return with_tokens_and_samples(given, config_workloads, settings)


def of_several_sources(given: ir.Table) -> ir.Table:
    """Lists the runs whose progress has several kinds of source, such as MLflow and a file."""
    runs = given.group_by(*RUN).agg(few=given.source.min(), many=given.source.max())
    return runs.filter(runs.few != runs.many).select(*RUN)
