"""Rows of `break_even` as the sentences and parts of the pages are given them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

D = Decimal
JUDGED: dict[str, Any] = {"status": "recovering", "cumulative_net_saving": D(1)}
STANDING: dict[str, Any] = {
    "workload": "vega-bert",
    "status": "losing",
    "parity": "below_parity",
    "progress": D("0.39"),
    "cumulative_net_saving": D("4716.04"),
    "cumulative_investment": D("12000"),
    "gpu_cost_per_epoch": D("175.875"),
    "unit": "epoch",
    "trn_cost_per_epoch": None,
    "trn_month": None,
    "trend": None,
    "saving_per_epoch": D("-14.125"),
    "saving_low": None,
    "saving_high": None,
    "runs_to_break_even": None,
    "left_out": {},
    "flagged": {"price_unavailable": D("-120")},
}
D = Decimal
NONE: dict[str, Any] = {
    "unit": "epoch",
    "workload": "atlas-7b",
    "progress": None,
    "cumulative_net_saving": None,
    "cumulative_investment": D(0),
    "cumulative_net": None,
    "break_even_date": None,
    "forecast_median": None,
    "forecast_low": None,
    "forecast_high": None,
    "never_share": None,
    "forecast_reason": None,
    "payback_months": None,
    "runs_to_break_even": None,
    "forward_per_month": None,
    "value_to_end": None,
    "ends_first": None,
    "headroom_days": None,
    "parity": "parity",
    "reason": "",
}

RECOVERING = NONE | {
    "status": "recovering",
    "progress": D("0.82"),
    "cumulative_investment": D("214300"),
}

FORECAST = {
    "forecast_median": date(2027, 1, 12),
    "forecast_low": date(2026, 12, 28),
    "forecast_high": date(2027, 2, 4),
    "never_share": 0.0,
    "forecast_reason": "from 8 GPU runs, 20 Trainium runs and 30 weeks",
}
SHORT = "not enough data yet (2 of 5 GPU runs)"
