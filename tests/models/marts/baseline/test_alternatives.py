"""METHOD §5.7: how much faster another GPU would have to train to beat Trainium."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import duckdb
import ibis.expr.types as ir
from hypothesis import given, settings
from hypothesis import strategies as st

from models.contract.schema import BESIDE, EXPLAINERS, MARTS
from models.marts.baseline.alternatives import alternatives
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import table

D = Decimal
DAY, OLD = date(2025, 10, 28), date(2025, 7, 1)
PRICES = {
    "instance_type": "string", "region": "string", "series": "string", "since": "date",
    "until": "date", "usd_per_hour": "decimal(18, 9)", "stale_from": "date",
}  # fmt: skip

WORKED = {
    "workload": "string", "date": "date", "settled": "boolean", "main": "boolean",
    "counted_cost": "decimal(38, 9)", "counted_epochs": "decimal(38, 9)",
}  # fmt: skip


def offers(
    overhead: object = 0,
    price: object = "55.04",
    less: dict[str, object] | None = None,
    **part: object,
) -> dict[str, Any]:
    """METHOD §8 W by instance type and offer: 210 hours of p4d for 20 epochs; 15 for $1,500."""
    made = applied(alternatives, *_inputs(overhead, price, less, **part))
    rows = made.to_pyarrow().to_pylist()
    return {f"{row['instance_type']} {row['offer']}": row for row in rows}


def _inputs(
    overhead: object, price: object, less: dict[str, object] | None = None, **part: object
) -> list[ir.Table]:
    """The tables that the mart reads, in its order; `less` is a second part of the baseline."""
    own: dict[str, Any] = {
        "date": DAY, "workload": "w", "platform": "p4d", "instance_type": "p4d.24xlarge",
        "region": "us-east-1", "purchase_option": "on_demand", "epochs": 20,
        "instance_hours": 210, "factor": D("0.762832366"),
    }  # fmt: skip
    machines = (
        ("p4d.24xlarge", "p4d", 8, 2496.0),
        ("p5.48xlarge", "p5", 8, 7912.0),
        ("g5.xlarge", "g5", 1, None),
        ("g6.12xlarge", "g6", 4, None),
    )
    day = {"workload": "w", "date": DAY, "settled": True, "trn_cost": 1500}
    before = day | {"date": OLD, "trn_cost": 9999}
    counted = {"workload": "w", "settled": True, "main": True}
    since = (own | part)["date"] - timedelta(days=83)
    return [
        table(EXPLAINERS["baseline_parts"], own | part, *([own | part | less] if less else [])),
        table(
            {"workload": "string", "kind": "string", "unit": "string", "main": "boolean"},
            {"workload": "w", "kind": "", "unit": "epoch", "main": True},
        ),
        table(
            BESIDE["catalog"],
            *(
                {"instance_type": t, "platform": p, "hardware": "gpu", "accelerators": n,
                 "peak_tflops": peak}
                for t, p, n, peak in machines
            ),
        ),
        table(
            PRICES,
            {
                "instance_type": "p5.48xlarge", "region": "us-east-1", "series": "on_demand",
                "since": OLD, "usd_per_hour": D(str(price)),
            },
        ),
        table(
            WORKED,
            counted | {"date": DAY, "counted_cost": 1500, "counted_epochs": 15},
            counted | {"date": OLD, "counted_cost": 9999, "counted_epochs": 1},
        ),
        table(MARTS["savings_daily"], day | {"overhead": overhead}, before | {"overhead": 5}),
        table(
            {"workload": "string", "recent_since": "date"},
            {"workload": "w", "recent_since": since},
        ),
    ]  # fmt: skip


TRUTH = """
SELECT c.instance_type || ' ' || offer AS key,
    (b.instance_hours / b.epochs) * usd_per_hour * if(offer = 'on_demand', b.factor, 1)
        / ((k.counted_cost + d.overhead) / k.counted_epochs) AS needed
FROM baseline_parts b, catalog c, (VALUES ('on_demand'), ('capacity_block')) AS o(offer)
JOIN counterfactual_daily k ON k.date = b.date JOIN savings_daily d ON d.date = b.date
LEFT JOIN price_steps p ON p.instance_type = c.instance_type AND p.series = offer
WHERE c.accelerators >= 4"""


def test_it_is_what_sql_by_hand_makes_of_it() -> None:
    names = (
        "baseline_parts", "kinds", "catalog", "price_steps", "counterfactual_daily",
        "savings_daily", "workload_settled",
    )  # fmt: skip
    with duckdb.connect() as con:
        for name, given_ in zip(names, _inputs(D("37.5"), "63.30"), strict=True):
            con.register(name, given_.to_pyarrow())
        due = dict(con.execute(TRUTH).fetchall())
    found = {key: row["needed_speedup"] for key, row in offers(D("37.5"), "63.30").items()}
    assert found.keys() == due.keys()
    assert {key for key, needed in found.items() if needed is not None} == {"p5.48xlarge on_demand"}
    assert abs(float(found["p5.48xlarge on_demand"]) - due["p5.48xlarge on_demand"]) < 1e-8


def test_p5_would_beat_trainium_at_441_times_the_speed_of_p4d() -> None:
    found = offers()
    p5 = found["p5.48xlarge on_demand"]
    assert round(p5["needed_speedup"], 4) == D("4.4086")
    assert (p5["baseline_platform"], p5["hours_per_epoch"]) == ("p4d", D("10.5"))
    assert p5["trn_cost_per_epoch"] == 100
    assert {key for key in found if key.startswith("g5")} == set()


def test_beside_what_a_gpu_needs_stands_what_its_data_sheet_promises() -> None:
    """989 × 8 ÷ (312 × 8): a p5 computes 3.17 times as much as a p4d, and needs 4.41."""
    found = offers()
    peaks = {key.split()[0]: row["peak_speedup"] for key, row in found.items()}
    assert peaks == {
        "p4d.24xlarge": 1, "p5.48xlarge": D("3.169871795"), "g6.12xlarge": None
    }  # fmt: skip


def test_without_a_price_or_work_on_trainium_it_is_unknown() -> None:
    found = offers()
    for key in ("p5.48xlarge capacity_block", "p4d.24xlarge on_demand"):
        assert (found[key]["usd_per_hour"], found[key]["needed_speedup"]) == (None, None)
    later = offers(date=date(2026, 6, 1))["p5.48xlarge on_demand"]
    assert (later["trn_cost_per_epoch"], later["needed_speedup"]) == (None, None)
    unknown = offers(overhead=None)["p5.48xlarge on_demand"]
    assert unknown["needed_speedup"] is None


def test_the_part_with_most_hours_says_region_and_peak_also_where_one_is_unknown() -> None:
    """210 hours without a region, or of a machine without a data sheet, beside 105 of a p4d."""
    found = offers(region=None, less={"region": "us-east-1", "instance_hours": 105})
    assert found["p5.48xlarge on_demand"]["needed_speedup"] is None
    less = {"instance_type": "p4d.24xlarge", "platform": "p4d", "instance_hours": 105}
    row = offers(instance_type="g6.12xlarge", platform="g6", less=less)["p5.48xlarge on_demand"]
    assert (row["baseline_platform"], row["peak_speedup"]) == ("g6", None)


def test_the_payers_factor_counts_where_it_is_lower() -> None:
    found = offers(payer_factor=D("0.675"))["p5.48xlarge on_demand"]
    assert found["factor"] == D("0.675")
    assert found["needed_speedup"] == D("10.5") * D("55.04") * D("0.675") / 100


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.integers(1, 10**5))
def test_overhead_lowers_what_another_gpu_needs_and_its_price_raises_it(
    overhead: int, cents: int
) -> None:
    row = offers(D(overhead) / 100, D(cents) / 100)["p5.48xlarge on_demand"]
    each = (1500 + D(overhead) / 100) / 15
    due = D("10.5") * D(cents) / 100 * D("0.762832366") / each
    assert abs(row["needed_speedup"] - due) < D("1e-6") * (1 + due)
