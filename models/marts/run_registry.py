"""Every run anybody has seen: in the bill, in progress, or in the config.

Grain: workload × run. Attributes come from `[[runs]]`, else from the newest sample that states
them. `purpose` is `production` unless something says otherwise. `samples_per_epoch` and `tokens`
are plain counts; `reports_tokens` says that the run counts tokens at all.
"""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

ATTRIBUTES = ("recipe", "purpose", "resumed_from", "start_epoch")
PURPOSES = ("production", "baseline", "validation", "port")


def run_registry(progress: ir.Table, spend_daily: ir.Table, config_runs: ir.Table) -> ir.Table:
    """`workload`, `run`, and what is known of it before any arithmetic."""
    billed = spend_daily.filter(spend_daily.run.notnull()).select("workload", "run")
    names = billed.union(progress.select("workload", "run")).distinct()
    told = config_runs.select(
        config_run="run", config_workload="workload", **{f"{n}_told": n for n in ATTRIBUTES}
    )
    seen = _sampled(progress)
    every = names.left_join(seen, ["workload", "run"]).drop("workload_right", "run_right")
    same = every.workload == ibis.coalesce(told.config_workload, every.workload)
    joined = every.left_join(told, [every.run == told.config_run, same])
    resolved = joined.mutate(
        **{n: ibis.coalesce(joined[f"{n}_told"], joined[n]) for n in ATTRIBUTES}
    )
    given = resolved.purpose.fill_null("production")
    return resolved.mutate(
        purpose=ibis.ifelse(given.isin(PURPOSES), given, "production"),
        unknown_purpose=~given.isin(PURPOSES),
        reports_tokens=resolved.reports_tokens.fill_null(False),
        reports_loss=resolved.reports_loss.fill_null(False),
    ).drop("config_run", "config_workload", *(f"{n}_told" for n in ATTRIBUTES))


def _sampled(progress: ir.Table) -> ir.Table:
    newest = {
        name: progress[name].last(
            where=progress[name].notnull(), order_by=["observed_at", "epoch", name]
        )
        for name in (*ATTRIBUTES, "samples_per_epoch")
    }
    return progress.group_by("workload", "run").agg(
        **newest,
        reports_tokens=progress.tokens.notnull().any(),
        reports_loss=progress.loss.notnull().any(),
        first_sample=progress.observed_at.min(),
        last_sample=progress.observed_at.max(),
        first_epoch=progress.epoch.first(order_by=["observed_at", "epoch"]),
    )
