"""A statement by hand: two workloads, one with a spreadsheet's formula for a name, two months."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from models.contract.schema import PORTFOLIO
from models.documents.paper import Paper
from models.records.closes import Close
from models.records.columns import FLOWS, TABLES
from models.records.statement import Statement

D = Decimal
NASTY = "=HYPERLINK(A1)"
RUN = "@SUM(1)\t\x07+2"
FACTS = {
    "version": "0.2.0",
    "edition": "2",
    "as_of": "2026-10-12",
    "settled_through": "2026-09-30",
    "basis": "effective",
    "baseline_method": "conservative",
    "baseline_window_days": "365",
    "baseline_min_runs": "2",
    "settle_days": "3",
    "cost_source": "focus",
    "fiscal_year": "FY2027",
    "fiscal_quarter": "Q3",
}
MONTHS = {
    ("atlas-7b", "2026-08"): ("1000.10", "400.05", "20.00", "500", "0"),
    ("atlas-7b", "2026-09"): ("2000.20", "700.15", "0", "0", "-12.34"),
    (NASTY, "2026-09"): ("90.00", "120.50", "1.25", "10", "0"),
}
"""Counterfactual, compared cost, overhead, investment, adjustments."""
UNCOMPARED = {("atlas-7b", "2026-09"): D("33.33")}
"""Trainium cost that is compared with nothing."""

UNVERIFIED = {"atlas-7b": D("40.00"), NASTY: D("4.44"), PORTFOLIO: D("44.44")}


def paper(*, closed: bool = True) -> Paper:
    """September 2026, closed as the second version, or a draft."""
    statement = Statement("2026-09", FACTS, tables())
    close = Close(
        statement,
        version=2,
        closed_by="J. Doe, Controlling",
        closed_at="2026-10-12T09:30:00+00:00",
        reason="the invoice came",
        deliveries=({"source": "focus", "unit": "e", "period": "2026-09", "fingerprint": "ab12"},),
        config={},
        closes=(),
        notes=("final      ok         invoiced",),
    )
    return Paper(statement, close if closed else None)


def tables() -> dict[str, list[dict[str, Any]]]:
    """Every table of the statement."""
    history = _history()
    newest = [row for row in history if row["month"] == "2026-09"]
    made: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    made["history"] = [_row("history", row) for row in history]
    made["summary"] = [_row("summary", _told(row, history)) for row in newest]
    made["to_date"] = [
        _row("to_date", {"period": period, "since": since, **_sums(who, since, history)})
        for period, since in (("quarter", "2026-08"), ("year", "2026-02"))
        for who in ("atlas-7b", NASTY, PORTFOLIO)
    ]
    made["baselines"] = [
        _row(
            "baselines",
            {
                "workload": "atlas-7b",
                "date": date(2026, 9, 30),
                "method": "conservative",
                "value": D("176.375"),
                "measured": D("262.5"),
                "repriced": D("176.375"),
                "runs": 2,
                "reason": "repriced $176.38 is below measured $262.50 (2 GPU runs)",
            },
        )
    ]
    made["baseline_runs"] = [
        {
            "month": "2026-09",
            "workload": "atlas-7b",
            "kind_of_work": None,
            "lineage": lineage,
            "ended_on": date(2026, 5, day),
            "qualifies": True,
            "epochs": D(10),
            "cost": D(cost),
        }
        for lineage, day, cost in (("g1", 6, "2500"), ("g2", 16, "2750"))
    ]
    made["baseline_hours"] = [
        {
            "month": "2026-09",
            "workload": "atlas-7b",
            "kind_of_work": None,
            "platform": "p4d",
            "instance_type": "p4d.24xlarge",
            "region": "us-east-1",
            "purchase_option": "on_demand",
            "epochs": D(20),
            "instance_hours": D(210),
            "effective_cost": D(5250),
            "reference_cost": D("6882.246"),
            "price": D("21.957642"),
            "payer_factor": None,
            "repriced": D("175.875"),
            "other_per_epoch": D("0.5"),
        }
    ]
    parts = {"accelerator_cost": D("700"), "storage_cost": D("0.15"), "network_cost": D(0)}
    run = {"workload": "atlas-7b", "hardware": "trainium", "cost": D("700.15"), "unsettled": D(0)}
    run |= {"other_cost": D(0), "accelerator_hours": D(700), "epochs": D(10), "run": RUN}
    made["runs"] = [_row("runs", run | parts)]
    buckets = {"direct": D("820.65"), "tax": D("10.01"), "credit": D("-5")}
    spare = dict.fromkeys(
        ("shared", "cluster_idle", "overhead", "idle_commitment", "untagged", "purchase"), D(0)
    )
    spare |= dict.fromkeys(("refund", "support", "other", "block_spread"), D(0))
    bill = {"account": "999900000001", "billing_account": "999900000001", "month": "2026-09"}
    tied = {"bill_total": D("825.67"), "remainder": D("0.01"), "total_source": "invoice"}
    tied |= {"basis": "billed", "bridge": D(0)}
    made["tie_out"] = [_row("tie_out", bill | spare | buckets | tied)]
    moved = {"month": "2026-08", "version": 1, "kind": "workload"}
    sums = {"measure": "net_saving", "closed": D("592.39"), "adjusted_before": D(0)}
    sums |= {
        "now": D("580.05"),
        "amount": D("-12.34"),
        "changed_by": "inputs",
        "cause": "AWS restated 2026-08",
    }
    made["adjustments"] = [
        _row("adjustments", moved | sums | {"workload": who}) for who in ("atlas-7b", PORTFOLIO)
    ]
    made["curve"] = [
        {"date": date(2026, 8, 2), "cumulative_net": D("-500")},
        {"date": date(2026, 8, 30), "cumulative_net": D("80.05")},
        {"date": date(2026, 9, 27), "cumulative_net": D("1226.01")},
    ]
    return made


def in_two_kinds() -> dict[str, list[dict[str, Any]]]:
    """The same, and `qlora` on both: 20 epochs in 20 hours for $200 on GPU."""
    made = tables()
    for table, further in (
        ("baselines", {"value": D("6.7"), "measured": D(10), "repriced": D("6.7"), "runs": 1}),
        ("baseline_runs", {"lineage": "q1", "epochs": D(20), "cost": D(200)}),
        (
            "baseline_hours",
            {
                "instance_hours": D(20),
                "effective_cost": D(200),
                "reference_cost": D("655.452"),
                "repriced": D("6.7"),
                "other_per_epoch": D(0),
            },
        ),
    ):
        made[table].append(made[table][0] | {"kind_of_work": "qlora"} | further)
    return made


def _row(table: str, known: dict[str, Any]) -> dict[str, Any]:
    return {name: known.get(name) for name in TABLES[table]}


def _flows(key: tuple[str, str]) -> dict[str, Any]:
    whole, cost, overhead, spent, moved = map(Decimal, MONTHS.get(key, ("0",) * 5))
    return {
        "workload": key[0],
        "month": key[1],
        "gpu_cost": D(0),
        "trn_cost": cost + UNCOMPARED.get(key, D(0)),
        "gpu_epochs": D(0),
        "trn_epochs": D(10) if cost else D(0),
        "counterfactual": whole,
        "compared_cost": cost,
        "uncompared_cost": UNCOMPARED.get(key, D(0)),
        "gross_saving": whole - cost,
        "overhead": overhead,
        "net_saving": whole - cost - overhead,
        "saving_at_list": None,
        "saving_at_old_volume": (whole - cost) / 2,
        "investment": spent,
        "credits": D(0),
        "adjustments": moved,
        "other_change": D(0),
    }


def _history() -> list[dict[str, Any]]:
    months, rows = ("2026-08", "2026-09"), []
    for who in ("atlas-7b", NASTY, PORTFOLIO):
        net, spent = D(0), D(0)
        for month in months:
            row = _flows((who, month))
            if who == PORTFOLIO:
                row |= _sum(rows, month)
            net += row["net_saving"] + row["adjustments"] - row["investment"]
            spent += row["investment"]
            earned = {"roi": round(net / spent, 9) if spent else None}
            rows.append(row | earned | {"cumulative_net": net, "cumulative_investment": spent})
    return rows


def _sum(rows: list[dict[str, Any]], month: str) -> dict[str, Any]:
    """The portfolio spent 100 of its own in August."""
    mine = [row for row in rows if row["month"] == month and row["workload"] != PORTFOLIO]
    names = ("gpu_epochs", "trn_epochs", *(n for n in FLOWS if n != "saving_at_list"))
    sums: dict[str, Any] = {name: sum(row[name] for row in mine) for name in names}
    own = D(100) if month == "2026-08" else D(0)
    return sums | {"investment": sums["investment"] + own}


def _sums(who: str, since: str, history: list[dict[str, Any]]) -> dict[str, Any]:
    mine = [row for row in history if row["workload"] == who and row["month"] >= since]
    names = ("gpu_epochs", "trn_epochs", *FLOWS)
    return {"workload": who} | {
        name: None if name == "saving_at_list" else sum(row[name] for row in mine) for name in names
    }


def _told(row: dict[str, Any], history: list[dict[str, Any]]) -> dict[str, Any]:
    before = [r for r in history if r["workload"] == row["workload"] and r["month"] < "2026-09"]
    return row | {
        "opening_net": before[-1]["cumulative_net"],
        "trn_cost_per_epoch": row["trn_cost"] / row["trn_epochs"],
        "baseline_method": "conservative",
        "baseline_value": D("175.875"),
        "status": "broke_even",
        "settled_through": date(2026, 9, 30),
        "parity": "parity",
        "comparability": "comparable",
        "left_out": {"not_comparable": D("33.33")} if row["workload"] == PORTFOLIO else None,
        "flagged": {"unverified": UNVERIFIED[row["workload"]]},
        "covered_share": D("0.9612") if row["workload"] == PORTFOLIO else None,
        "credit_share": D("0.1234") if row["workload"] == PORTFOLIO else None,
    }
