"""METHOD §6: overhead, idle commitment, investment, and what they add up to."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
OWN = {"workload": "atlas-7b"}
GROSS = Decimal("1138.125")


def idle(world: World, day: str, cost: object, plan: str) -> None:
    """A day's unused hours of a Savings Plan."""
    world.charge(
        day,
        cost,
        BilledCost=0,
        CommitmentDiscountId=plan,
        CommitmentDiscountStatus="Unused",
        x_UsageType="ComputeSP:1yrNoUpfront",
    )


def covered(world: World, run: str, plan: str) -> None:
    """Says that a plan covered a run's hours."""
    for charge in world.charges:
        if f'"run": "{run}"' in str(charge.get("Tags")):
            charge |= {"CommitmentDiscountId": plan, "CommitmentDiscountStatus": "Used"}


def overheads(marts: Marts, where: str) -> list[dict[str, Any]]:
    return marts.rows(
        f"SELECT date, overhead FROM savings_daily WHERE {where} AND overhead <> 0 ORDER BY date"
    )


def entry(**columns: object) -> dict[str, object]:
    return {"workload": "atlas-7b", "date": date(2025, 8, 15), "kind": "tooling"} | columns


def test_overhead_counts_from_cutover_and_not_the_gpu_sides(atlas: World) -> None:
    for day in ("05-02", "08-30", "09-01"):
        atlas.hours(f"2025-{day}T00:00:00", 10, TRN1, 16, OWN)
    stored = OWN | {"run": "stored"}  # what is kept does not run
    atlas.charge("2025-08-30T00:00:00", 3, x_UsageType="EBS:VolumeUsage.gp3", tags=stored)
    atlas.hours("2025-09-20T00:00:00", 10, P4D, 20, OWN)
    atlas.hours("2025-09-21T00:00:00", 1, TRN1, 7, OWN)
    atlas.charge("2025-10-05T00:00:00", 2, x_UsageType="EBS:VolumeUsage.gp3", tags=OWN)
    rows = overheads(atlas.build(), "true")
    assert [tuple(row.values()) for row in rows] == [(date(2025, 9, 21), 7), (date(2025, 10, 5), 2)]


def test_a_forgotten_run_tag_hides_no_loss(atlas: World) -> None:
    """The first run costs $2,000; its epochs no longer count, its hours are overhead from then."""
    for charge in atlas.charges:
        if '"run": "t1"' in str(charge.get("Tags")):
            charge |= {"EffectiveCost": charge["EffectiveCost"] * 5, "Tags": json.dumps(OWN)}
    tagged = GROSS - 1600
    net = atlas.build().standing()["cumulative_net_saving"]
    assert net == GROSS - Decimal("303.5") - 2000 < tagged


def test_gpu_hours_without_a_run_tag_are_no_cutover(atlas: World) -> None:
    """A run that reports while only GPU ran under the workload's tag has not moved."""
    atlas.hours("2025-08-20T00:00:00", 5, P4D, 20, OWN)
    atlas.sample("2025-08-20T00:00:00", "lost", 0, loss=1.5)
    atlas.sample("2025-08-20T05:00:00", "lost", 1, loss=1.5)
    atlas.hours("2025-08-25T00:00:00", 5, TRN1, 20, OWN)  # before the first Trainium run
    atlas.sample("2025-08-25T00:00:00", "porting", 1, loss=1.5, purpose="port")
    atlas.hours("2025-08-22T00:00:00", 5, TRN1, 20, OWN | {"run": "porting"})
    atlas.sample("2025-08-22T00:00:00", "lost", 1, loss=1.5)
    assert overheads(atlas.build(), "true") == []


def test_a_forgotten_run_tag_on_every_run_hides_no_loss(atlas: World) -> None:
    """No run is left that could save; the $1,500 they cost are overhead all the same."""
    for charge in atlas.charges:
        if '"run": "t' in str(charge.get("Tags")):
            charge["Tags"] = json.dumps(OWN)
    atlas.hours("2025-09-02T00:00:00", 1, TRN1, "0.40", {})
    marts = atlas.build(investments=[entry(amount=1000)])
    for workload in ("atlas-7b", "(portfolio)"):
        row = marts.standing(workload)
        assert (row["cumulative_net_saving"], row["status"]) == (Decimal(-1500), "investing")
        assert "but $0.40 (effective) of Trainium" in row["reason"]


def test_overhead_at_an_unknown_price_is_unknown_never_zero(atlas: World) -> None:
    """METHOD §2.5: block hours under the workload tag alone cost $0 on the bill."""
    atlas.hours("2025-09-20T00:00:00", 20, TRN1, 0, OWN, ListCost=0, ContractedCost=0)
    marts = atlas.build()
    day = marts.row("SELECT overhead, net_saving FROM savings_daily WHERE date = '2025-09-20'")
    assert day == {"overhead": None, "net_saving": None}


def test_as_billed_hours_that_a_plan_paid_for_are_unknown_never_free(atlas: World) -> None:
    covered(atlas, "t1", "sp-1")
    plan = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Used"}
    atlas.hours("2025-09-20T00:00:00", 20, TRN1, 10, OWN, **plan)
    for charge in atlas.charges:
        if charge.get("CommitmentDiscountId"):
            charge["BilledCost"] = 0
    paid = OWN | {"run": "t2"}  # Spot at $0, and a disk whose dollars are told otherwise, are known
    atlas.hours("2025-09-09T00:00:00", 1, TRN1, 0, paid, x_UsageType=f"SpotUsage:{TRN1}")
    disk = {"x_UsageType": "EBS:VolumeUsage.gp3", "EffectiveCost": 2}
    atlas.charge("2025-09-09T00:00:00", 0, tags=paid, **disk)
    marts = atlas.build(cost={"basis": "billed"})
    assert marts.row("SELECT cost FROM runs WHERE run = 't2'") == {"cost": 520}
    run = marts.row("SELECT cost, flags FROM runs WHERE run = 't1'")
    assert run == {"cost": None, "flags": ["cost_unknown"]}
    assert marts.standing()["left_out"] == {"cost_unknown": None}
    said = "; Trainium runs are left out: as billed, hours that a plan or a Capacity Block paid for"
    assert said in marts.standing()["reason"]
    day = marts.row("SELECT overhead, net_saving FROM savings_daily WHERE date = '2025-09-20'")
    assert day == {"overhead": None, "net_saving": None}


def test_a_run_without_a_list_price_is_left_out_at_list_and_that_is_said(atlas: World) -> None:
    for charge in atlas.charges:
        if '"t1"' in charge.get("Tags", ""):
            charge["ListCost"] = ""
    row = atlas.build(cost={"basis": "list"}).standing()
    assert row["left_out"] == {"cost_unknown": None}
    assert "left out: the bill tells no list cost of some of their hours" in row["reason"]
    assert "Capacity Block" not in row["reason"]


def test_idle_commitment_falls_on_the_runs_it_covered_by_hours(atlas: World) -> None:
    for run in ("t1", "t2"):
        covered(atlas, run, "sp-1")
    idle(atlas, "2025-09-30T00:00:00", 115, "sp-1")
    unused = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Unused"}
    tags = OWN | {"run": "t2"}  # hours that nobody used cover no run, whatever tag they carry
    atlas.hours("2025-09-08T00:00:00", 10, TRN1, 0, tags, **unused)
    marts = atlas.build()
    assert sum(row["overhead"] for row in overheads(marts, "true")) == 115
    first = sum(row["overhead"] for row in overheads(marts, "date <= '2025-09-03'"))
    assert first == Decimal(50)  # 25 of 57.5 hours
    assert marts.standing()["cumulative_net_saving"] == GROSS - 115
    assert marts.standing("(portfolio)")["cumulative_net_saving"] == GROSS - 115


def test_a_run_without_accelerators_bears_no_idle_commitment(atlas: World) -> None:
    """By all hours covered, 75 of 100 of sp-1's $100 would be its own; the portfolio bears $40."""
    covered(atlas, "t1", "sp-1")
    for run, plan, kind in (
        ("prep", "sp-1", "m5.24xlarge"),
        ("eval", "sp-cpu", "m5.24xlarge"),
        ("serve", "sp-cpu", "inf2.48xlarge"),
    ):
        plan_used = {"CommitmentDiscountId": plan, "CommitmentDiscountStatus": "Used"}
        tags = {"workload": "harbor", "run": run}
        atlas.hours("2025-09-05T00:00:00", 75, kind, 3, tags, **plan_used)
    idle(atlas, "2025-09-30T00:00:00", 100, "sp-1")
    idle(atlas, "2025-09-30T00:00:00", 40, "sp-cpu")
    marts = atlas.build()
    rows = marts.rows(
        "SELECT workload, sum(overhead) AS overhead FROM savings_daily "
        "WHERE overhead <> 0 GROUP BY workload ORDER BY workload"
    )
    assert [tuple(row.values()) for row in rows] == [("atlas-7b", 100)]
    assert marts.standing()["cumulative_net_saving"] == GROSS - 100
    assert marts.standing("(portfolio)")["cumulative_net_saving"] == GROSS - 140


def test_a_forgotten_run_tag_sheds_no_idle_commitment(atlas: World) -> None:
    """The saving of t1 is gone with its tag, and what its plan left idle stays: $2,000."""
    covered(atlas, "t1", "sp-1")
    idle(atlas, "2025-09-30T00:00:00", 2000, "sp-1")
    for charge in atlas.charges:
        if '"run": "t1"' in str(charge.get("Tags")):
            charge["Tags"] = json.dumps(OWN)
    marts = atlas.build()
    whole = GROSS - Decimal("703.50") - 2000
    assert marts.standing()["cumulative_net_saving"] == whole
    assert marts.standing("(portfolio)")["cumulative_net_saving"] == whole


def test_a_plan_that_another_account_bought_falls_on_the_member_it_covered(atlas: World) -> None:
    """Fee and idle rows are the purchaser's, covered hours the member's (AWS.md §6)."""
    member = {"SubAccountId": "999900000002"}
    for charge in atlas.charges:
        charge |= member if '"run": "t' in str(charge.get("Tags")) else {}
    for run in ("t1", "t2"):
        covered(atlas, run, "sp-1")
    idle(atlas, "2025-09-30T00:00:00", 115, "sp-1")
    fee = {"ChargeCategory": "Purchase", "CommitmentDiscountId": "sp-1", "EffectiveCost": 0}
    atlas.charge("2025-09-30T00:00:00", 1035, x_UsageType="ComputeSP:1yrNoUpfront", **fee)
    marts = atlas.build()
    assert sum(row["overhead"] for row in overheads(marts, "true")) == 115
    assert marts.standing()["cumulative_net_saving"] == GROSS - 115
    rows = marts.rows(
        "SELECT account, basis, direct, idle_commitment AS idle, purchase, remainder FROM tie_out "
        "WHERE month = '2025-09' ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("999900000001", "billed", 0, 0, 1035, 0),
        ("999900000001", "effective", 0, 115, 0, 0),
        ("999900000002", "billed", 1500, 0, 0, 0),
        ("999900000002", "effective", 1500, 0, 0, 0),
    ]


def test_idle_that_covered_no_run_that_month_stays_with_the_portfolio(atlas: World) -> None:
    covered(atlas, "t1", "sp-1")
    idle(atlas, "2025-10-10T00:00:00", 70, "sp-1")
    idle(atlas, "2025-10-11T00:00:00", 900, "sp-of-the-web-fleet")
    unused = {"CommitmentDiscountId": "ri-1", "CommitmentDiscountStatus": "Unused"}
    for day, cost in (("09-01", 16), ("09-02", 5), ("10-10", 4)):  # the first before anything moved
        atlas.charge(f"2025-{day}T00:00:00", cost, x_UsageType=f"BoxUsage:{TRN1}", **unused)
    atlas.run("h1", TRN1, "2025-10-20T00:00:00", 5, 16, 1, workload="harbor")
    marts = atlas.build()
    assert overheads(marts, "true") == []
    assert marts.standing()["cumulative_net_saving"] == GROSS
    assert marts.standing("(portfolio)")["cumulative_net_saving"] == GROSS - 70 - 5 - 4


def test_what_the_move_left_idle_of_gpu_commitments_is_investment_and_not_overhead(
    atlas: World,
) -> None:
    """METHOD §6: beyond the average before, by month; whole months here: May to August."""
    atlas.hours("2025-09-01T00:00:00", 1, TRN1, 16, {"workload": "atlas-7b", "run": "t0"})
    covered(atlas, "g1", "sp-gpu")
    for day in ("2025-05-01", "2025-06-10", "2025-08-01", "2025-08-31"):
        idle(atlas, f"{day}T00:00:00", 100, "sp-gpu")  # $400 in 4 months: $100 a month
    idle(atlas, "2025-09-20T00:00:00", 700, "sp-gpu")  # 600 beyond
    idle(atlas, "2025-10-10T00:00:00", 31, "sp-gpu")
    idle(atlas, "2025-10-20T00:00:00", 200, "sp-gpu")  # 231 less 100 × 28 settled days of 31
    for run in ("g2", "t2"):
        covered(atlas, run, "sp-both")
    idle(atlas, "2025-09-30T00:00:00", 300, "sp-both")  # none before, so all of it
    marts = atlas.build()
    rows = marts.rows("SELECT date, amount FROM investments WHERE kind = 'stranded_commitment'")
    october = Decimal("231") - Decimal("90.322580645")
    assert {row["date"]: row["amount"] for row in rows} == {
        date(2025, 9, 1): Decimal(900),
        date(2025, 10, 1): october,
    }
    tenth, twentieth = marts.rows(
        "SELECT investment FROM savings_daily WHERE investment > 0 AND date > '2025-10-01' "
        "ORDER BY date"
    )
    assert tenth["investment"] == round(october * 31 / 231, 9)
    assert tenth["investment"] + twentieth["investment"] == october
    assert marts.standing()["cumulative_investment"] == 10_000 + 900 + october
    assert overheads(marts, "true") == []
    own, everyone = marts.standing(), marts.standing("(portfolio)")
    left = own["cumulative_net_saving"] - everyone["cumulative_net_saving"]
    assert left == 100 + Decimal("90.322580645")
    assert everyone["cumulative_investment"] == own["cumulative_investment"]


def test_what_two_moves_left_idle_is_each_ones_by_gpu_hours(world: World) -> None:
    """METHOD §6: $216 in 2 + 10/31 months before the first move; $93 a month, $63 of 21 days.

    What was idle in August before that day is of those before; September is as idle as ever.
    """
    for workload, day in (("a", 11), ("b", 21)):
        for run, start, kind in (("g", "2025-06-01", P4D), ("t", f"2025-08-{day}", TRN1)):
            tags = {"workload": workload, "run": f"{run}{workload}"}
            world.hours(f"{start}T00:00:00", 10, kind, 10, tags)
        covered(world, f"g{workload}", "sp-gpu")
    for day, cost in (
        ("06-15", 116),
        ("08-05", 100),
        ("08-15", 113),
        ("08-25", 113),
        ("09-10", 93),
    ):
        idle(world, f"2025-{day}T00:00:00", cost, "sp-gpu")
    world.charge("2025-10-30T00:00:00", 1)
    marts = world.build()
    rows = marts.rows(
        "SELECT workload, amount FROM investments WHERE kind = 'stranded_commitment' ORDER BY 1"
    )
    half = Decimal("81.5")  # of the $163 beyond: before b moved, and after
    assert [tuple(row.values()) for row in rows] == [("a", half + half / 2), ("b", half / 2)]
    months = marts.rows(
        "SELECT overhead FROM monthly_summary WHERE workload = '(portfolio)' AND month IN "
        "('2025-08', '2025-09') ORDER BY month"
    )
    assert [row["overhead"] for row in months] == [63, 93]


def test_port_and_validation_runs_are_investment_and_nothing_else(atlas: World) -> None:
    atlas.run("p1", TRN1, "2025-08-20T00:00:00", 10, 16, 2, purpose="port")
    atlas.run("v1", TRN1, "2025-09-20T00:00:00", 5, 16, 1, purpose="validation")
    marts = atlas.build()
    standing = marts.standing()
    assert standing["cumulative_investment"] == 10_000 + 160 + 80
    assert standing["cumulative_net_saving"] == GROSS
    months = marts.rows(
        "SELECT hardware, sum(cost) AS cost, sum(runs)::INT AS runs FROM cost_per_epoch "
        "WHERE period = 'month' GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row.values()) for row in months] == [("gpu", 5250, 2), ("trainium", 1500, 3)]
    kinds = marts.rows("SELECT kind, amount FROM investments ORDER BY kind")
    assert [tuple(row.values()) for row in kinds] == [
        ("engineering", 10_000),
        ("port", 160),
        ("validation", 80),
    ]
    cutover = marts.row("SELECT min(date) AS d FROM savings_daily WHERE trn_cost > 0")
    assert cutover == {"d": date(2025, 9, 2)}


def test_a_purpose_that_cannot_be_followed_costs_and_claims_nothing(atlas: World) -> None:
    """METHOD §5, §6: production, or a baseline on GPU; what something was for is never guessed.

    On Trainium b1's $160 and x1's $900 count, their 2 and 3 epochs at $175.875 do not. On GPU x2
    sets no baseline.
    """
    atlas.run("v1", TRN1, "2025-09-20T00:00:00", 5, 16, 1, purpose=" Validation ")
    atlas.run("b1", TRN1, "2025-08-20T00:00:00", 10, 16, 2, purpose="baseline")
    for run, machine in (("x1", TRN1), ("x2", "p4d.24xlarge")):
        tags = {"workload": "atlas-7b", "run": run, "purpose": "prodution"}
        atlas.hours("2025-08-22", 10, machine, 90, tags)
        for hour, epoch in ((0, 0), (10, 3)):
            atlas.sample(f"2025-08-22T{hour:02}:00:00", run, epoch, loss=1.5)
    marts = atlas.build(tags={"extra": ["purpose"]})
    standing = marts.standing()
    assert standing["cumulative_gross_saving"] == GROSS - 160 - 900
    assert standing["cumulative_net_saving"] == GROSS - 160 - 900
    assert standing["cumulative_investment"] == 10_000 + 80
    assert standing["runs_to_break_even"] == 641  # (10,080 − 78.125) ÷ 15.625 = 640.12
    assert standing["left_out"] == {
        "baseline_on_trainium": Decimal("351.75"),
        "unknown_purpose": Decimal("527.625"),
    }
    rows = marts.rows("SELECT run, purpose, flags FROM runs WHERE run IN ('v1', 'b1', 'x1', 'x2')")
    assert {row["run"]: (row["purpose"], row["flags"]) for row in rows} == {
        "v1": ("validation", []),
        "b1": ("baseline", ["baseline_on_trainium"]),
        "x1": ("prodution", ["unknown_purpose"]),
        "x2": ("prodution", ["unknown_purpose"]),
    }
    assert (
        "; purpose baseline of run b1 (and 1 more) is not production, port or validation, as it "
        "must be on Trainium: its cost counts and its epochs earn nothing until it is"
    ) in standing["reason"]


def test_a_port_run_at_an_unknown_price_makes_the_investment_unknown(atlas: World) -> None:
    """METHOD §2.5: what needs an unknown price is unknown, never zero."""
    tags = {"workload": "atlas-7b", "run": "p1"}
    atlas.hours("2025-08-20T00:00:00", 10, TRN1, 0, tags, ListCost=0, ContractedCost=0)
    atlas.sample("2025-08-20T00:00:00", "p1", 0, purpose="port")
    marts = atlas.build()
    day = marts.row("SELECT investment FROM savings_daily WHERE date = '2025-08-20'")
    assert day == {"investment": None}


@pytest.mark.parametrize("amount", ["100", "0.01", "31", "1234.56"])
def test_upkeep_is_spread_by_day_and_its_months_are_exact(atlas: World, amount: str) -> None:
    upkeep = entry(kind="upkeep", date=date(2025, 8, 17), amount_per_month=Decimal(amount))
    marts = atlas.build(investments=[upkeep, entry(workload=None, amount=1)])
    months = marts.rows(
        "SELECT strftime(date, '%m') AS m, sum(investment) AS spent FROM savings_daily "
        "WHERE investment > 0 GROUP BY 1 ORDER BY 1"
    )
    spent = {row["m"]: row["spent"] for row in months}
    assert spent["09"] == Decimal(amount)
    begun = Decimal(amount) * 15 / 31
    assert abs(spent["08"] - begun) <= Decimal("1e-8")
    finance = marts.row(
        "SELECT investment, settled_through FROM monthly_summary "
        "WHERE month = '2025-09' AND workload = 'atlas-7b'"
    )
    assert finance == {"investment": Decimal(amount), "settled_through": date(2025, 9, 30)}


def test_investment_of_the_portfolio_counts_on_the_portfolio_alone(atlas: World) -> None:
    loose = entry(workload=None, date=date(2025, 1, 2), amount=500)
    more = loose | {"kind": "partner", "amount": 7}
    marts = atlas.build(investments=[entry(amount=1000), loose, more])
    assert marts.standing()["cumulative_investment"] == 1000
    assert marts.standing("(portfolio)")["cumulative_investment"] == 1507
    named = marts.rows("SELECT DISTINCT workload FROM savings_daily")
    assert named == [{"workload": "atlas-7b"}]
    standing = marts.rows("SELECT workload FROM break_even ORDER BY 1")
    assert [row["workload"] for row in standing] == ["(portfolio)", "atlas-7b"]
    first = marts.row("SELECT * FROM portfolio_daily WHERE date = '2025-01-02'")
    flows = ("trn_cost", "epochs", "counterfactual", "gross_saving", "overhead", "net_saving")
    assert [first[name] for name in (*flows, "investment")] == [0] * len(flows) + [507]


def test_investment_of_tomorrow_does_not_count_today(atlas: World) -> None:
    later = entry(date=date(2025, 10, 30), amount=5000)
    far = entry(date=date(2027, 1, 1), amount=7000)
    marts = atlas.build(investments=[entry(amount=1000), later, far])
    assert marts.standing()["cumulative_investment"] == 1000


def test_running_totals_are_sums_of_the_settled_days(atlas: World) -> None:
    rows = atlas.build().rows(
        "SELECT *, sum(net_saving) OVER (ORDER BY date) AS net, "
        "sum(investment) OVER (ORDER BY date) AS spent FROM savings_daily ORDER BY date"
    )
    assert len(rows) == 180
    for row in rows:
        assert row["cumulative_net_saving"] == row["net"]
        assert row["cumulative_investment"] == row["spent"]
        assert row["cumulative_net"] == row["net"] - row["spent"]
