"""What the days add up to: periods, baselines, standings, months."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from models.contract.schema import PORTFOLIO
from models.marts.savings.break_even.recent_sums import FLOWS
from tests.support.dashboard.days import CLAIMED, FIRST, SUMMED, ZERO, D, Row, at, days_between

if TYPE_CHECKING:
    from tests.support.dashboard.world import Workload


def cost_per_epoch(workload: Workload, savings: list[Row], runs: list[Row]) -> list[Row]:
    sums: dict[tuple[str, date, str], list[Any]] = defaultdict(lambda: [ZERO, ZERO, 0, True])
    facts = [(d["date"], "trainium", d["trn_cost"], d["epochs"], d["settled"]) for d in savings]
    facts += [
        (r["started_at"].date(), "gpu", r["cost"], r["epochs"], True)
        for r in runs
        if r["hardware"] == "gpu"
    ]
    for day, hardware, cost, epochs, settled in facts:
        if not epochs:
            continue
        for period, start in (
            ("week", day - timedelta(days=day.weekday())),
            ("month", day.replace(day=1)),
        ):
            total = sums[period, start, hardware]
            if settled:
                total[0] += cost
                total[1] += epochs
            total[2] = 1
            total[3] &= settled
    return [
        {
            "period": period,
            "period_start": start,
            "workload": workload.name,
            "hardware": hardware,
            "cost": cost,
            "epochs": epochs,
            "cost_per_epoch": round(cost / epochs, 9) if epochs else None,
            "runs": count,
            "settled": settled,
        }
        for (period, start, hardware), (cost, epochs, count, settled) in sums.items()
    ]


def recent_window(workload: Workload, savings: list[Row], runs: list[Row], settled: date) -> Row:
    mine = [r for r in runs if r["hardware"] == "trainium" and r["purpose"] == "production"]
    since = settled - timedelta(weeks=12)
    days = [row for row in savings if row["settled"] and row["date"] > since]
    count = len({r["lineage"] for r in mine if r["ended_at"].date() > since})
    return {
        "workload": workload.name,
        "cutoff": settled,
        "newest": True,
        "whole": True,
        "lineages": count,
        "runs": count,
        **{name: _known([row.get(name, ZERO) for row in days]) for name in FLOWS},
    }


def _known(amounts: list[Decimal | None]) -> Decimal | None:
    return None if None in amounts else sum(filter(None, amounts), ZERO)


def baselines(workload: Workload, settled: date) -> list[Row]:
    return [
        {
            "date": day,
            "workload": workload.name,
            "measured": workload.gpu if value is not None else None,
            "repriced": value,
            "fixed": None,
            "value": value,
            "value_at_list": value * D("1.31") if value is not None else None,
            "method": "conservative",
            "runs": 3 if value is not None else 1,
            "flags": list(workload.baseline_flags),
            "reason": workload.reason
            or "repriced is lower than measured: the GPU price fell after the runs",
        }
        for day in days_between(FIRST, settled)
        for value in [workload.baseline(day)]
    ]


def parts(workload: Workload, settled: date) -> list[Row]:
    if workload.baseline(settled) is None:
        return []
    price, list_price = D("21.957642"), D("32.7726")
    epochs, hours = D(20), D(210)
    return [
        {
            "date": settled,
            "workload": workload.name,
            "platform": workload.gpu_type.split(".")[0],
            "instance_type": workload.gpu_type,
            "region": "us-east-1",
            "purchase_option": "on_demand",
            "runs": 2,
            "epochs": epochs,
            "instance_hours": hours,
            "effective_cost": workload.gpu * epochs,
            "list_cost": hours * list_price,
            "hours_per_epoch": hours / epochs,
            "price": price,
            "factor": round(workload.gpu * epochs / (hours * list_price), 9),
            "payer_factor": None,
            "repriced": round(
                hours / epochs * price * workload.gpu * epochs / (hours * list_price), 9
            ),
            "other_per_epoch": ZERO,
        }
    ]


def price_changes(workload: Workload) -> list[Row]:
    return [
        {
            "workload": workload.name,
            "instance_type": workload.gpu_type,
            "region": "us-east-1",
            "purchase_option": "on_demand",
            "effective_from": date(2026, 6, 1),
            "usd_per_hour": D("21.957642"),
            "previous_usd_per_hour": D("32.7726"),
        }
    ]


def standing(workload: Workload, savings: list[Row]) -> Row:
    settled = [row for row in savings if row["settled"]]
    last = settled[-1]
    saving, invested = last["cumulative_net_saving"], last["cumulative_investment"]
    net = saving - invested
    credited = sum((row["credited_epochs"] for row in settled), ZERO)
    gross = sum((row["gross_saving"] or ZERO for row in settled), ZERO)
    even = next(
        (
            row["date"]
            for index, row in enumerate(settled)
            if all(later["cumulative_net"] >= 0 for later in settled[index:])
        ),
        None,
    )
    runs_left = int(-net / 600) + 1 if workload.status == "recovering" else None
    return {
        "workload": workload.name,
        "status": workload.status,
        "progress": min(max(round(saving / invested, 9), ZERO), D(1))
        if invested and workload.status in CLAIMED
        else None,
        "cumulative_gross_saving": gross if workload.compares else None,
        "cumulative_net_saving": saving if workload.compares else None,
        "cumulative_investment": invested,
        "cumulative_net": net if workload.compares else None,
        "cumulative_saving_at_list": round(gross * D("1.2"), 2) if workload.compares else None,
        "break_even_date": even if workload.status == "broke_even" else None,
        "runs_to_break_even": runs_left,
        "payback_months": 5.3 if workload.status == "recovering" else None,
        "roi": round(net / invested, 9) if invested and workload.compares else None,
        "saving_per_epoch": round(gross / credited, 9) if credited else None,
        "parity": workload.parity,
        "left_out": dict(workload.left_out),
        "flagged": dict(workload.flagged),
        "reason": workload.reason,
    }


NOT_STARTED: Row = {"workload": PORTFOLIO, "status": "not_started", "reason": "nothing is tagged"}


def portfolio(standings: list[Row]) -> Row:
    if not standings:
        return NOT_STARTED

    def total(name: str) -> Decimal:
        return sum((row[name] or ZERO for row in standings), ZERO)

    saving, invested = total("cumulative_net_saving"), total("cumulative_investment")
    net = saving - invested
    return {
        "workload": PORTFOLIO,
        "status": "recovering" if net < 0 else "broke_even",
        "progress": min(max(round(saving / invested, 9), ZERO), D(1)) if invested else None,
        "cumulative_gross_saving": total("cumulative_gross_saving"),
        "cumulative_net_saving": saving,
        "cumulative_investment": invested,
        "cumulative_net": net,
        "cumulative_saving_at_list": total("cumulative_saving_at_list"),
        "payback_months": 9.4 if net < 0 else None,
        "runs_to_break_even": 61 if net < 0 else None,
        "roi": round(net / invested, 9) if invested else None,
        "saving_per_epoch": D("101.25"),
        "left_out": _merged(row["left_out"] for row in standings),
        "flagged": _merged(row["flagged"] for row in standings),
        "reason": "",
    }


def _merged(maps: Iterable[dict[str, Decimal]]) -> dict[str, Decimal]:
    merged: dict[str, Decimal] = defaultdict(Decimal)
    for found in maps:
        for reason, dollars in found.items():
            merged[reason] += dollars
    return dict(merged)


def months(workload: Workload, savings: list[Row], settled: date) -> list[Row]:
    months: dict[str, Row] = {}
    for day in savings:
        if not day["settled"]:
            continue
        row = months.setdefault(
            f"{day['date']:%Y-%m}",
            {"workload": workload.name, "trn_epochs": ZERO, "investment": ZERO},
        )
        row["month"] = f"{day['date']:%Y-%m}"
        for name in SUMMED:
            row[name] = row.get(name, ZERO) + (day[name] or ZERO)
        row["trn_epochs"] += day["epochs"]
        row["investment"] += day["investment"]
        row |= {
            "cumulative_net": day["cumulative_net"],
            "status": workload.status,
            "settled_through": settled,
        }
    return list(months.values())


def portfolio_months(rows: list[Row], settled: date) -> list[Row]:
    months: dict[str, Row] = {}
    for row in rows:
        total = months.setdefault(
            row["month"],
            {"month": row["month"], "workload": PORTFOLIO, "settled_through": settled},
        )
        for name in (*SUMMED, "trn_epochs", "investment", "cumulative_net"):
            total[name] = total.get(name, ZERO) + row[name]
    return list(months.values())


def fresh(settled: date) -> Row:
    return {
        "source": "focus",
        "account": "999900000001",
        "last_success": at(settled + timedelta(days=3)),
        "newest_day": settled + timedelta(days=2),
        "gap_days": 0,
        "settled_through": settled,
        "restated_cost": ZERO,
        "requests_today": 0,
        "dollars_today": ZERO,
    }
