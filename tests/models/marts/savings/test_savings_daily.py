"""METHOD §6: overhead, idle commitment, investment, and what they add up to.

Each case is METHOD §8 A once more, as a workload of its own, and what differs.
"""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.conftest import migrated
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"
GROSS = Decimal("1138.125")
UPKEEP = ("100", "0.01", "31", "1234.56")
CASES = (
    "cutover", "forgotten", "not yet", "shared", "accelerated", "shed", "member", "one month",
    "ported", "later", *(f"upkeep {amount}" for amount in UPKEEP),
)  # fmt: skip


def of(world: World, workload: str, run: str = "") -> list[dict[str, Any]]:
    """The charges of runs whose names begin so."""
    tags = json.dumps({"workload": workload, "run": run})[:-2]
    return [charge for charge in world.charges if str(charge.get("Tags")).startswith(tags)]


def idle(world: World, day: str, cost: object, plan: str, **columns: object) -> None:
    """A day's unused hours of a Savings Plan."""
    unused = {"CommitmentDiscountId": plan, "CommitmentDiscountStatus": "Unused"}
    usage = {"BilledCost": 0, "x_UsageType": "ComputeSP:1yrNoUpfront"}
    world.charge(f"2025-{day}", cost, **unused | usage | columns)


def covered(world: World, workload: str, *runs: str, plan: str = "") -> None:
    """Says that a plan, the workload's own unless said, covered the hours of runs."""
    used = {"CommitmentDiscountId": plan or workload, "CommitmentDiscountStatus": "Used"}
    for run in runs:
        for charge in of(world, workload, run):
            charge |= used


def forgets(world: World, workload: str, run: str) -> None:
    for charge in of(world, workload, run):
        charge["Tags"] = json.dumps({"workload": workload})


def overheads(marts: Marts, workload: str) -> dict[date, Decimal]:
    days = "SELECT date, overhead FROM savings_daily WHERE workload = ? AND overhead <> 0"
    return {row["date"]: row["overhead"] for row in marts.rows(days, workload)}


def entry(**columns: object) -> dict[str, object]:
    return {"workload": "atlas-7b", "date": date(2025, 8, 15), "kind": "tooling"} | columns


def tags_alone(world: World) -> None:
    """Hours that name their workload alone, or a run that only keeps or ports something."""
    own = {"workload": "cutover"}
    for day in ("05-02", "08-30", "09-01"):
        world.hours(f"2025-{day}", 10, TRN1, 16, own)
    disk = {"x_UsageType": "EBS:VolumeUsage.gp3"}
    world.charge("2025-08-30", 3, tags=own | {"run": "stored"}, **disk)  # it does not run
    world.hours("2025-09-20", 10, P4D, 20, own)
    world.hours("2025-09-21", 1, TRN1, 7, own)
    world.charge("2025-10-05", 2, tags=own, **disk)
    for charge in of(world, "forgotten", "t1"):
        charge["EffectiveCost"] *= 5
    forgets(world, "forgotten", "t1")
    own = {"workload": "not yet"}
    world.hours("2025-08-20", 5, P4D, 20, own)
    world.hours("2025-08-25", 5, TRN1, 20, own)  # before the first Trainium run
    world.hours("2025-08-22", 5, TRN1, 20, own | {"run": "porting"})
    for at, run, epoch, purpose in (
        ("2025-08-20T00", "lost", 0, None),
        ("2025-08-20T05", "lost", 1, None),
        ("2025-08-25T00", "porting", 1, "port"),
        ("2025-08-22T00", "lost", 1, None),
    ):
        world.sample(f"{at}:00:00", run, epoch, workload="not yet", loss=1.5, purpose=purpose)


def commitments(world: World) -> None:
    """Plans that covered Trainium runs, or none that month; nobody moved before 2 September."""
    covered(world, "shared", "t1", "t2")
    idle(world, "09-30", 115, "shared")
    unused = {"CommitmentDiscountId": "shared", "CommitmentDiscountStatus": "Unused"}
    tags = {"workload": "shared", "run": "t2"}  # nobody used them: they cover no run
    world.hours("2025-09-08", 10, TRN1, 0, tags, **unused)
    covered(world, "accelerated", "t1")
    for run, plan, kind in (
        ("prep", "accelerated", "m5.24xlarge"),
        ("eval", "sp-cpu", "m5.24xlarge"),
        ("serve", "sp-cpu", "inf2.48xlarge"),
    ):
        world.hours("2025-09-05", 75, kind, 3, {"workload": "harbor", "run": run})
        covered(world, "harbor", run, plan=plan)
    idle(world, "09-30", 100, "accelerated")
    idle(world, "09-30", 40, "sp-cpu")
    covered(world, "shed", "t1")
    idle(world, "09-30", 2000, "shed")
    forgets(world, "shed", "t1")
    covered(world, "one month", "t1")
    idle(world, "10-10", 70, "one month")
    idle(world, "10-11", 900, "sp-of-the-web-fleet")
    for day, cost in (("09-01", 16), ("09-02", 5), ("10-10", 4)):
        idle(world, day, cost, "ri-1", x_UsageType=f"BoxUsage:{TRN1}", BilledCost=cost)
    world.run("h1", TRN1, "2025-10-20", 5, 16, 1, workload="harbor")
    for charge in of(world, "member", "t"):
        charge["SubAccountId"] = "999900000002"
    covered(world, "member", "t1", "t2")
    payer = {"SubAccountId": "999900000003"}
    idle(world, "09-30", 115, "member", **payer)
    fee = {"ChargeCategory": "Purchase", "CommitmentDiscountId": "member", "EffectiveCost": 0}
    world.charge("2025-09-30", 1035, x_UsageType="ComputeSP:1yrNoUpfront", **fee | payer)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("savings"))
    for workload in CASES:
        migrated(world, workload)
    tags_alone(world)
    commitments(world)
    said = {"workload": "ported"}
    world.run("p1", TRN1, "2025-08-20", 10, 16, 2, purpose="port", **said)
    world.run("v1", TRN1, "2025-09-20", 5, 16, 1, purpose="validation", **said)
    engineered = [each for each in world.config["investments"] if each["workload"] == "ported"]
    later = [
        entry(workload="later", date=date(*day), amount=amount)
        for day, amount in (((2025, 8, 15), 1000), ((2025, 10, 30), 5000), ((2027, 1, 1), 7000))
    ]
    monthly = {"kind": "upkeep", "date": date(2025, 8, 17)}
    upkeep = [
        entry(workload=f"upkeep {amount}", amount_per_month=Decimal(amount), **monthly)
        for amount in UPKEEP
    ]
    loose = entry(workload=None, amount=1)
    return world.build(investments=[*engineered, *later, *upkeep, loose])


def test_overhead_counts_from_cutover_and_not_the_gpu_sides(marts: Marts) -> None:
    assert overheads(marts, "cutover") == {date(2025, 9, 21): 7, date(2025, 10, 5): 2}


def test_a_forgotten_run_tag_hides_no_loss(marts: Marts) -> None:
    """The first run costs $2,000; its epochs no longer count, its hours are overhead from then."""
    tagged = GROSS - 1600
    net = marts.standing("forgotten")["cumulative_net_saving"]
    assert net == GROSS - Decimal("303.5") - 2000 < tagged


def test_gpu_hours_without_a_run_tag_are_no_cutover(marts: Marts) -> None:
    """A run that reports while only GPU ran under the workload's tag has not moved."""
    assert overheads(marts, "not yet") == {}


def test_a_forgotten_run_tag_on_every_run_hides_no_loss(atlas: World) -> None:
    """No run is left that could save; the $1,500 they cost are overhead all the same."""
    forgets(atlas, "atlas-7b", "t")
    atlas.hours("2025-09-02T00:00:00", 1, TRN1, "0.40", {})
    marts = atlas.build(investments=[entry(amount=1000)])
    for workload in ("atlas-7b", "(portfolio)"):
        row = marts.standing(workload)
        assert (row["cumulative_net_saving"], row["status"]) == (Decimal(-1500), "investing")
        assert "but $0.40 (effective) of Trainium" in row["reason"]


@pytest.fixture(scope="module")
def unknown(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """METHOD §2.5: block hours under the workload tag alone, or of a port run, cost $0."""
    world = World(tmp_path_factory.mktemp("unknown"))
    free = {"ListCost": 0, "ContractedCost": 0}
    for workload, day, hours, run in (
        ("overhead", "09-20", 20, {}),
        ("port", "08-20", 10, {"run": "p1"}),
    ):
        tags = {"workload": workload} | run
        migrated(world, workload).hours(f"2025-{day}", hours, TRN1, 0, tags, **free)
    world.sample("2025-08-20", "p1", 0, workload="port", purpose="port")
    return world.build()


def test_overhead_at_an_unknown_price_is_unknown_never_zero(unknown: Marts) -> None:
    where = "WHERE workload = 'overhead' AND date = '2025-09-20'"
    day = unknown.row(f"SELECT overhead, net_saving FROM savings_daily {where}")
    assert day == {"overhead": None, "net_saving": None}


def test_a_port_run_at_an_unknown_price_makes_the_investment_unknown(unknown: Marts) -> None:
    """What needs an unknown price is unknown, never zero."""
    where = "WHERE workload = 'port' AND date = '2025-08-20'"
    assert unknown.row(f"SELECT investment FROM savings_daily {where}") == {"investment": None}


def test_as_billed_hours_that_a_plan_paid_for_are_unknown_never_free(atlas: World) -> None:
    own = {"workload": "atlas-7b"}
    covered(atlas, "atlas-7b", "t1", plan="sp-1")
    plan = {"CommitmentDiscountId": "sp-1", "CommitmentDiscountStatus": "Used"}
    atlas.hours("2025-09-20T00:00:00", 20, TRN1, 10, own, **plan)
    for charge in atlas.charges:
        if charge.get("CommitmentDiscountId"):
            charge["BilledCost"] = 0
    paid = own | {"run": "t2"}  # Spot at $0, and a disk whose dollars are told otherwise, are known
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
    for charge in of(atlas, "atlas-7b", "t1"):
        charge["ListCost"] = ""
    row = atlas.build(cost={"basis": "list"}).standing()
    assert row["left_out"] == {"cost_unknown": None}
    assert "left out: the bill tells no list cost of some of their hours" in row["reason"]
    assert "Capacity Block" not in row["reason"]


@pytest.mark.parametrize(
    ("workload", "amount"), [("shared", 115), ("accelerated", 100), ("member", 115)]
)
def test_idle_commitment_falls_on_the_runs_it_covered(
    marts: Marts, workload: str, amount: int
) -> None:
    assert sum(overheads(marts, workload).values()) == amount
    assert marts.standing(workload)["cumulative_net_saving"] == GROSS - amount


def test_idle_commitment_falls_by_hours(marts: Marts) -> None:
    days = overheads(marts, "shared").items()
    assert sum(amount for day, amount in days if day <= date(2025, 9, 3)) == 50  # 25 of 57.5 hours


def test_a_run_without_accelerators_bears_no_idle_commitment(marts: Marts) -> None:
    """By all hours covered, 75 of 100 of the $100 of `accelerated` would be harbor's own."""
    assert overheads(marts, "harbor") == {}


def test_a_forgotten_run_tag_sheds_no_idle_commitment(marts: Marts) -> None:
    """The saving of t1 is gone with its tag, and what its plan left idle stays: $2,000."""
    whole = GROSS - Decimal("703.50") - 2000
    assert marts.standing("shed")["cumulative_net_saving"] == whole


def test_a_plan_that_another_account_bought_falls_on_the_member_it_covered(marts: Marts) -> None:
    """Fee and idle rows are the purchaser's, covered hours the member's (AWS.md §6)."""
    rows = marts.rows(
        "SELECT account, basis, direct, idle_commitment AS idle, purchase, remainder FROM tie_out "
        "WHERE month = '2025-09' AND account <> '999900000001' ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("999900000002", "billed", 1500, 0, 0, 0),
        ("999900000002", "effective", 1500, 0, 0, 0),
        ("999900000003", "billed", 0, 0, 1035, 0),
        ("999900000003", "effective", 0, 115, 0, 0),
    ]


def test_idle_that_covered_no_run_that_month_stays_with_the_portfolio(marts: Marts) -> None:
    """Since the first of all moved: ri-1's, sp-cpu's, and the plan's that covered t1 last month.

    Every other dollar that the portfolio bears is one workload's, once.
    """
    assert overheads(marts, "one month") == {}
    assert marts.standing("one month")["cumulative_net_saving"] == GROSS
    rows = marts.rows(
        """SELECT date, any_value(whole.overhead) - coalesce(sum(own.overhead), 0) AS amount
        FROM portfolio_daily AS whole LEFT JOIN savings_daily AS own USING (date)
        WHERE whole.settled GROUP BY date HAVING amount <> 0 ORDER BY date"""
    )
    assert [tuple(row.values()) for row in rows] == [
        (date(2025, 9, 2), 5), (date(2025, 9, 30), 40), (date(2025, 10, 10), 70 + 4),
    ]  # fmt: skip
    own = "SELECT sum(cumulative_net_saving) AS net FROM break_even WHERE workload <> '(portfolio)'"
    net = marts.row(own)["net"] - 5 - 40 - 70 - 4
    assert marts.standing("(portfolio)")["cumulative_net_saving"] == net


def test_what_the_move_left_idle_of_gpu_commitments_is_investment_and_not_overhead(
    atlas: World,
) -> None:
    """METHOD §6: beyond the average before, by month; whole months here: May to August."""
    atlas.hours("2025-09-01T00:00:00", 1, TRN1, 16, {"workload": "atlas-7b", "run": "t0"})
    covered(atlas, "atlas-7b", "g1", plan="sp-gpu")
    for day in ("05-01", "06-10", "08-01", "08-31"):
        idle(atlas, day, 100, "sp-gpu")  # $400 in 4 months: $100 a month
    idle(atlas, "09-20", 700, "sp-gpu")  # 600 beyond
    idle(atlas, "10-10", 31, "sp-gpu")
    idle(atlas, "10-20", 200, "sp-gpu")  # 231 less 100 × 28 settled days of 31
    covered(atlas, "atlas-7b", "g2", "t2", plan="sp-both")
    idle(atlas, "09-30", 300, "sp-both")  # none before, so all of it
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
    assert overheads(marts, "atlas-7b") == {}
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
        covered(world, workload, f"g{workload}", plan="sp-gpu")
    for day, cost in (
        ("06-15", 116),
        ("08-05", 100),
        ("08-15", 113),
        ("08-25", 113),
        ("09-10", 93),
    ):
        idle(world, day, cost, "sp-gpu")
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


def test_port_and_validation_runs_are_investment_and_nothing_else(marts: Marts) -> None:
    standing = marts.standing("ported")
    assert standing["cumulative_investment"] == 10_000 + 160 + 80
    assert standing["cumulative_net_saving"] == GROSS
    months = marts.rows(
        "SELECT hardware, sum(cost) AS cost, sum(runs)::INT AS runs FROM cost_per_epoch "
        "WHERE period = 'month' AND workload = 'ported' GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row.values()) for row in months] == [("gpu", 5250, 2), ("trainium", 1500, 3)]
    spent = "SELECT kind, amount FROM investments WHERE workload = 'ported' ORDER BY kind"
    assert [tuple(row.values()) for row in marts.rows(spent)] == [
        ("engineering", 10_000),
        ("port", 160),
        ("validation", 80),
    ]
    worked = "workload = 'ported' AND trn_cost > 0"
    cutover = marts.row(f"SELECT min(date) AS d FROM savings_daily WHERE {worked}")
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


@pytest.mark.parametrize("amount", UPKEEP)
def test_upkeep_is_spread_by_day_and_its_months_are_exact(marts: Marts, amount: str) -> None:
    workload = f"upkeep {amount}"
    months = marts.rows(
        "SELECT strftime(date, '%m') AS m, sum(investment) AS spent FROM savings_daily "
        "WHERE investment > 0 AND workload = ? GROUP BY 1 ORDER BY 1",
        workload,
    )
    spent = {row["m"]: row["spent"] for row in months}
    assert spent["09"] == Decimal(amount)
    begun = Decimal(amount) * 15 / 31
    assert abs(spent["08"] - begun) <= Decimal("1e-8")
    finance = marts.row(
        "SELECT investment, settled_through FROM monthly_summary "
        "WHERE month = '2025-09' AND workload = ?",
        workload,
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


def test_investment_of_tomorrow_does_not_count_today(marts: Marts) -> None:
    assert marts.standing("later")["cumulative_investment"] == 1000


def test_running_totals_are_sums_of_the_settled_days(marts: Marts) -> None:
    rows = marts.rows(
        "SELECT *, sum(net_saving) OVER (ORDER BY date) AS net, "
        "sum(investment) OVER (ORDER BY date) AS spent FROM savings_daily "
        "WHERE workload = 'ported' ORDER BY date"
    )
    assert len(rows) == 180
    for row in rows:
        assert row["cumulative_net_saving"] == row["net"]
        assert row["cumulative_investment"] == row["spent"]
        assert row["cumulative_net"] == row["net"] - row["spent"]
