"""Says in a few lines what a bill answers so far, and the first thing missing for a saving.

For whoever has just connected a bill: each figure that is known stands alone, and of all that is
missing only what has to come first is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

from models.config.settings import Settings
from models.contract import units
from models.contract.decimal_text import dollars
from models.contract.portfolio import PORTFOLIO
from models.documents.unsettled_spend import waiting
from models.documents.wording import percent
from models.engine.warehouse.relations import Relations, published
from models.records.statement import Row

SHOWN = 5
"""Workloads that are named, those with the highest cost first."""
MACHINES = "hardware IN ('gpu', 'trainium')"


def _known_sum(where: str) -> str:
    every, known = (f"count({of}) FILTER (WHERE {where})" for of in ("*", "effective_cost"))
    return f"CASE WHEN {every} = {known} THEN coalesce(sum(effective_cost) FILTER ({where}), 0) END"


SPEND = f"""
SELECT min(date) AS first, max(date) AS last, count(*) AS rows,
    {_known_sum("hardware = 'gpu'")} AS gpu, {_known_sum("hardware = 'trainium'")} AS trainium,
    {_known_sum(f"{MACHINES} AND workload IS NOT NULL")} AS named,
    count(*) FILTER ({MACHINES}) AS machines,
    count(*) FILTER ({MACHINES} AND workload IS NOT NULL) AS of_workloads,
    count(*) FILTER ({MACHINES} AND run IS NOT NULL) AS of_runs
FROM spend_daily"""
"""Dollars are null as soon as one is unknown; without charges they are 0."""
WORKLOADS = """
SELECT workload, CASE WHEN count(*) = count(effective_cost) THEN sum(effective_cost) END AS cost
FROM spend_daily
WHERE workload IS NOT NULL AND hardware IN ('gpu', 'trainium')
GROUP BY workload ORDER BY cost DESC, workload"""
PER_EPOCH = """
SELECT workload, hardware, any_value(unit) AS unit, sum(cost) AS cost, sum(epochs) AS epochs
FROM cost_per_epoch WHERE period = 'month' AND main GROUP BY workload, hardware
HAVING sum(epochs) > 0 AND count(cost) = count(*) ORDER BY workload, hardware"""
STANDING = """
SELECT workload, status, reason, cumulative_net_saving, cumulative_net
FROM break_even ORDER BY workload"""
COMPARED_BY_GPU_RUNS = ("not_comparable", "insufficient_baseline")
"""Status that GPU runs of months not pulled yet may mend."""
JUDGED = ("recovering", "losing", "broke_even")
"""Status in which a saving or a loss is known."""
NAMES = {"gpu": "GPU", "trainium": "Trainium"}


class Obstacle(NamedTuple):
    """Why no saving is known yet, what the user can do, and if pulling older months may help."""

    found: str
    remedy: str
    of_older_months: bool = False


class AnswerSoFar(NamedTuple):
    """What a bill shows so far, as lines of text, and the first obstacle to a saving, or None."""

    known: list[str]
    obstacle: Obstacle | None


def answer_so_far(settings: Settings) -> AnswerSoFar:
    """Reads from the published tables what the bill shows, and what hinders computing a saving.

    Raises `MissingDataError` before the first build.
    """
    with published(settings.data / "snapshots") as snapshot:
        (spend,) = snapshot.rows(SPEND, {})
        return AnswerSoFar(list(_known(spend, snapshot)), _obstacle(spend, snapshot, settings))


def _known(spend: Row, snapshot: Relations) -> Iterator[str]:
    if not spend["machines"]:
        return
    yield _spent(spend)
    each = _per_epoch(snapshot)
    for row in snapshot.rows(WORKLOADS, {})[:SHOWN]:
        figures = each.get(row["workload"]) or ["no epochs of its runs known, so no cost per epoch"]
        cost = "some of its cost is unknown" if row["cost"] is None else dollars(row["cost"])
        yield f"{row['workload']}: {cost}; {', '.join(figures)}"
    yield from _in_all(snapshot)
    if waits := waiting(lambda sql: snapshot.rows(sql, {})).text:
        yield waits


def _spent(spend: Row) -> str:
    """Returns a sentence: what GPU and Trainium cost, and what fraction names a workload."""
    period = f"The bill of {spend['first']} to {spend['last']} has"
    each = f"{dollars(spend['gpu'])} GPU, {dollars(spend['trainium'])} Trainium"
    if None in (spend["gpu"], spend["trainium"]):
        return f"{period} accelerators of which some cost is unknown: {each}."
    whole = spend["gpu"] + spend["trainium"]
    share = f" {percent(spend['named'] / whole)} names a workload." if whole else ""
    return f"{period} {dollars(whole)} of accelerators: {each}.{share}"


def _in_all(snapshot: Relations) -> Iterator[str]:
    """Yields sentences on what all workloads have saved or lost in total; none if unknown."""
    for row in snapshot.rows(STANDING, {}):
        net = row["cumulative_net"]
        if row["workload"] != PORTFOLIO or net is None:
            continue
        if row["status"] == "no_investment":
            done = _saved(row["cumulative_net_saving"])
            yield f"In all, moving has {done} so far; its own cost is not recorded."
        if row["status"] in JUDGED:
            state = "ahead" if net >= 0 else "short of break-even"
            yield f"In all, after what moving cost: {dollars(abs(net))} {state}, {row['reason']}."


def _saved(net: Decimal) -> str:
    return f"saved {dollars(net)}" if net >= 0 else f"cost {dollars(-net)} more than staying on GPU"


def _per_epoch(snapshot: Relations) -> dict[str, list[str]]:
    """Maps each workload to texts: its cost per unit of work on GPU and on Trainium."""
    found: dict[str, list[str]] = {}
    for row in snapshot.rows(PER_EPOCH, {}):
        price = f"{dollars(row['cost'] / row['epochs'])} {units.one(row['unit'])}"
        text = f"{price} on {NAMES[row['hardware']]}"
        found.setdefault(row["workload"], []).append(text)
    return found


def _obstacle(spend: Row, snapshot: Relations, settings: Settings) -> Obstacle | None:
    """Returns the first thing missing: bill, tags, progress or a saving; None if nothing is."""
    for found in (
        _of_bill(spend),
        _of_tags(spend, settings),
        _of_progress(snapshot),
        _of_comparison(snapshot),
    ):
        if found:
            return found
    return None


def _of_bill(spend: Row) -> Obstacle | None:
    if not spend["rows"]:
        return Obstacle(
            "no line of the bill was delivered for these days",
            "AWS delivers a new export within a day; `breakeven doctor` says where it looks",
        )
    if not spend["machines"]:
        return Obstacle(
            "no GPU or Trainium machine is on the bill of these days",
            "check that the export covers the accounts that train",
        )
    return None


def _of_tags(spend: Row, settings: Settings) -> Obstacle | None:
    for name, key in (("of_workloads", settings.tags.workload), ("of_runs", settings.tags.run)):
        if not spend[name]:
            what = "workload" if name == "of_workloads" else "run"
            return Obstacle(
                f'no charge of a machine has the tag "{key}", so none names a {what}',
                f"set tags.{what} to a tag that the bill has, activate it in the payer, or write "
                "a [[tag_rules]] entry; where jobs share machines, add their scheduler",
            )
    return None


def _of_progress(snapshot: Relations) -> Obstacle | None:
    if snapshot.count("progress_daily", ""):
        return None
    return Obstacle(
        "no run has reported progress, so what an epoch costs is unknown",
        "point the second [[sources]] at a file, tracker or metric with the epochs of each run, "
        "under the run's name on the bill",
    )


def _of_comparison(snapshot: Relations) -> Obstacle | None:
    """Returns why it is unknown whether moving paid off, and a remedy; None if known or no rows."""
    rows = {row["workload"]: row for row in snapshot.rows(STANDING, {})}
    whole = rows.get(PORTFOLIO)
    if not whole or whole["status"] in JUDGED:
        return None
    status = whole["status"]
    remedy = REMEDIES.get(status, "`breakeven doctor` says more")
    return Obstacle(whole["reason"], remedy, of_older_months=status in COMPARED_BY_GPU_RUNS)


REMEDIES = {
    "not_started": "the first production run on Trainium brings the first saving",
    "investing": "the first production run on Trainium brings the first saving",
    "not_comparable": "name the same recipe and report the same counters on both kinds of machine; "
    "where GPU runs are missing, pull their months, or run a benchmark on each side",
    "insufficient_baseline": "pull the months in which the GPU runs ended, or run one on GPU as a "
    "benchmark",
    "no_investment": "write what the migration cost as [[investments]]",
}
"""What brings the answer nearer, by the status of the portfolio (METHOD §6)."""
