"""A workload's days and runs, made from its few facts."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from models.contract.schema import PORTFOLIO

if TYPE_CHECKING:
    from tests.support.dashboard.world import Workload

Row = dict[str, Any]
D = Decimal
ZERO = D(0)
FIRST = date(2025, 11, 1)
GPU_RUN_DAYS = (date(2025, 11, 3), date(2025, 11, 10), date(2025, 11, 18))
RUN_EVERY = 9
IDLE_SINCE = date(2026, 8, 1)
SUMMED = ("trn_cost", "counterfactual", "gross_saving", "overhead", "net_saving", "saving_at_list")
TOTALS = ("cumulative_net_saving", "cumulative_investment", "cumulative_net", "roi")
CLAIMED = ("losing", "broke_even", "recovering")


def days_between(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def _wave(day: date) -> Decimal:
    """A weekly rhythm, so that no line is straight."""
    return D(100 + (day.toordinal() % 7) * 3 - (day.toordinal() // 7 % 5) * 2) / 100


def _drift(day: date) -> Decimal:
    """Weeks differ in cost, as they do."""
    return D(100 + (day.toordinal() // 7 * 37 % 13) - 6) / 100


def savings(workload: Workload, settled: date, as_of: date) -> list[Row]:
    outlays: dict[date, Decimal] = defaultdict(Decimal)
    for day, _, amount in workload.investments:
        outlays[day] += amount
    first = min([workload.start, *outlays])
    rows = [_day(workload, day, outlays[day], day <= settled) for day in days_between(first, as_of)]
    for name, source in (
        ("cumulative_net_saving", "net_saving"),
        ("cumulative_investment", "investment"),
    ):
        for row, total in zip(rows, accumulate(r[source] or ZERO for r in rows), strict=True):
            row[name] = total
    for row in rows:
        row["cumulative_net"] = row["cumulative_net_saving"] - row["cumulative_investment"]
        row["roi"] = _return(row["cumulative_net"], row["cumulative_investment"])
        if not row["settled"]:
            row |= dict.fromkeys(TOTALS)
    return rows


def portfolio_days(rows: list[Row]) -> list[Row]:
    """The sum over workloads, with its own running total."""
    days: dict[date, Row] = {}
    for row in sorted(rows, key=lambda row: row["date"]):
        empty = {"date": row["date"], "workload": PORTFOLIO, "settled": True}
        total = days.setdefault(row["date"], empty)
        for name in (*SUMMED, "epochs", "credited_epochs", "investment"):
            total[name] = total.get(name, ZERO) + (row[name] or ZERO)
        total["settled"] &= row["settled"]
    so_far = spent = ZERO
    for day in days.values():
        so_far, spent = so_far + day["net_saving"] - day["investment"], spent + day["investment"]
        day["cumulative_net"] = so_far if day["settled"] else None
        day["cumulative_investment"] = spent if day["settled"] else None
        day["roi"] = _return(so_far, spent) if day["settled"] else None
    return list(days.values())


def _return(net: Decimal, spent: Decimal) -> Decimal | None:
    return round(net / spent, 9) if spent > 0 else None


def _day(workload: Workload, day: date, outlay: Decimal, settled: bool) -> Row:
    training = workload.trains and day >= workload.start
    epochs = round(workload.epochs_a_day * _wave(day), 4) if training else ZERO
    cost = round(epochs * workload.trn * _drift(day), 2) if settled else ZERO
    baseline = workload.baseline(day)
    row: Row = {
        "date": day,
        "workload": workload.name,
        "trn_cost": cost,
        "epochs": epochs,
        "credited_epochs": epochs if workload.compares else ZERO,
        "investment": outlay,
        "settled": settled,
        "counterfactual": None,
        "gross_saving": None,
        "overhead": ZERO,
        "net_saving": None,
        "saving_at_list": None,
        "cluster_idle": ZERO if settled else None,
    }
    if workload.compares and baseline is not None and settled:
        counterfactual = round(epochs * baseline, 2)
        row |= {
            "counterfactual": counterfactual,
            "gross_saving": counterfactual - cost,
            "overhead": D("1.25") if training else ZERO,
            "cluster_idle": D("0.85") if training and day >= IDLE_SINCE else ZERO,
            "net_saving": counterfactual - cost - (D("1.25") if training else ZERO),
            "saving_at_list": round((counterfactual - cost) * D("0.7"), 2),
        }
    return row


def runs(workload: Workload, settled: date) -> list[Row]:
    gpu_days = GPU_RUN_DAYS[:1] if workload.status == "insufficient_baseline" else GPU_RUN_DAYS
    runs = [_run(workload, "gpu", n, day) for n, day in enumerate(gpu_days, 1)]
    if workload.trains:
        starts = range(0, (settled - workload.start).days, RUN_EVERY)
        runs += [
            _run(workload, "trainium", n, workload.start + timedelta(days=offset))
            for n, offset in enumerate(starts, 1)
        ]
    return runs


def _run(workload: Workload, hardware: str, number: int, day: date) -> Row:
    on_gpu = hardware == "gpu"
    rate = workload.gpu if on_gpu else workload.trn
    epochs = round((D(10) if on_gpu else workload.epochs_a_day * RUN_EVERY) * _wave(day), 3)
    cost = round(epochs * rate * _drift(day), 2)
    validation = not on_gpu and number == 1
    compared = hardware == "gpu" or workload.compares
    return {
        "workload": workload.name,
        "run": f"{workload.name}-{'g' if on_gpu else 't'}{number}",
        "hardware": hardware,
        "platform": (workload.gpu_type if on_gpu else workload.trn_type).split(".")[0],
        "lineage": f"{workload.name}-{number}",
        "started_at": at(day),
        "ended_at": at(day + timedelta(days=RUN_EVERY - 2)),
        "purpose": "validation" if validation else "production",
        "recipe": "qlora" if on_gpu and workload.status == "not_comparable" else "full",
        "tag_team": "nlp",
        "cost": cost,
        "unsettled": ZERO,
        "epochs": epochs,
        "credited_epochs": epochs if compared else ZERO,
        "cost_per_epoch": round(cost / epochs, 9),
        "cost_to_target_loss": None,
        "final_loss": 1.45 + number % 4 * 0.01,
        "parity": workload.parity if not on_gpu else None,
        "comparability": "comparable" if compared else "recipe differs",
        "accelerator_hours": round(epochs * 160, 3),
        "idle_cost": round(cost * D("0.06"), 2),
        "repeated_epochs": round(epochs * D("0.03"), 3),
        "repeated_cost": round(cost * D("0.028"), 2),
        "accelerator_cost": cost - round(cost * D("0.05"), 2),
        "storage_cost": round(cost * D("0.03"), 2),
        "network_cost": round(cost * D("0.02"), 2),
        "other_cost": ZERO,
        "list_cost": round(cost * D("1.31"), 2),
        "cost_per_million_samples": round(cost / epochs / 2, 9) if on_gpu else None,
        "flags": list(workload.flagged) if not on_gpu else [],
    }


def at(day: date) -> datetime:
    return datetime.combine(day, time(6, 30), UTC).replace(tzinfo=None)


def spend(workload: Workload, savings: list[Row], runs: list[Row], settled: date) -> list[Row]:
    rows = [
        _spent(workload.name, "trainium", day["date"], day["trn_cost"], day["epochs"] * 160)
        for day in savings
        if day["trn_cost"]
    ]
    rows += [
        _spent(
            workload.name, "gpu", run["started_at"].date(), run["cost"], run["accelerator_hours"]
        )
        for run in runs
        if run["hardware"] == "gpu"
    ]
    return [row for row in rows if row["date"] <= settled]


def _spent(workload: str, hardware: str, day: date, cost: Decimal, hours: Decimal) -> Row:
    return {
        "date": day,
        "billing_period": f"{day:%Y-%m}",
        "billing_account": "999900000001",
        "account": "999900000001",
        "region": "us-east-1",
        "workload": workload,
        "component": "accelerator",
        "attribution": "direct" if workload else "untagged",
        "hardware": hardware,
        "accelerator_hours": round(hours, 6),
        "list_cost": round(cost * D("1.31"), 2),
        "effective_cost": cost,
        "billed_cost": cost,
        "settled": True,
        "final": day.month < 10,
    }


def untagged(settled: date) -> list[Row]:
    return [
        {**_spent("", "gpu", day, D("41.27"), D(8)), "workload": None}
        for day in days_between(settled - timedelta(days=29), settled)
    ]


def loss(workload: Workload, runs: list[Row]) -> list[Row]:
    points = 24
    return [
        {
            "workload": workload.name,
            "run": run["run"],
            "hardware": run["hardware"],
            "observed_at": run["started_at"] + timedelta(hours=6 * n),
            "epoch": round(run["epochs"] * n / points, 6),
            "loss": run["final_loss"] + 2.4 / (1 + n * 0.9) - 2.4 / (1 + points * 0.9),
            "cost_so_far": round(run["cost"] * n / points, 6),
            "hours_so_far": round(run["accelerator_hours"] / 16 * n / points, 6),
            "clock_so_far": round(run["accelerator_hours"] / 64 * n / points, 6),
        }
        for run in runs
        if run["run"].rsplit("-", 1)[1] in {"g1", "g2", "t2", "t5", "t9", "t14"}
        for n in range(1, points + 1)
    ]
