"""METHOD §6: whose idle commitment is. One world, each plan one trouble."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from models.contract import schema
from models.marts.cost.commitments.idle_commitments import idle_commitments
from models.marts.cost.commitments.stranded_commitments import stranded_commitments
from tests.support.marts.compiled_once import applied
from tests.support.marts.hand_written_tables import rows, table
from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"


def plan(name: str) -> dict[str, str]:
    return {"CommitmentDiscountId": name, "CommitmentDiscountStatus": "Used"}


def ran(
    world: World, workload: str, run: str, day: str, hours: object = 10, **columns: object
) -> None:
    """Trainium hours at $10, unless said otherwise; an empty run is a forgotten tag."""
    tags = {"workload": workload, "run": run} if run else {"workload": workload}
    given = {"kind": TRN1, "rate": 10, **columns}
    kind, rate = str(given.pop("kind")), given.pop("rate")
    world.hours(f"2025-{day}T00:00:00", hours, kind, rate, tags, **given)


def idle(
    world: World, name: str, day: str, cost: object, meter: str = "ComputeSP:1yr", **more: object
) -> None:
    """What nobody used of a plan on a day."""
    unused = {"CommitmentDiscountId": name, "CommitmentDiscountStatus": "Unused", "BilledCost": 0}
    start = day if len(day) > len("09-01") else f"2025-{day}"
    world.charge(f"{start}T00:00:00", cost, x_UsageType=meter, **{**unused, **more})


def shares(world: World) -> None:
    """Hours in two lines of a day, a day without cover, and days that have not settled."""
    for region in ("us-east-1", "us-west-2"):
        ran(world, "shared", "t1", "09-02", 5, RegionId=region, **plan("sp-shared"))
        idle(world, "sp-shared", "09-20", 20, RegionId=region)
    ran(world, "shared", "t1", "09-03")
    ran(world, "shared", "t2", "09-04", **plan("sp-shared"))
    idle(world, "sp-shared", "09-21", 60)
    ran(world, "open", "t1", "10-02", **plan("sp-open"))
    ran(world, "open", "t1", "10-29", **plan("sp-open"))
    idle(world, "sp-open", "10-20", 50)
    idle(world, "sp-open", "10-29", 900)
    ran(world, "brief", "t1", "09-02", "0.5", **plan("sp-brief"))
    idle(world, "sp-brief", "09-20", 30)
    held = {"CapacityReservationId": "cr-1", "CapacityReservationStatus": "Used"}
    ran(world, "twice", "t1", "09-02", **plan("sp-twice"), **held)
    idle(world, "sp-twice", "09-20", 30)
    reserved = {"CapacityReservationId": "cr-1", "CapacityReservationStatus": "Unused"}
    world.charge("2025-09-20T00:00:00", 20, x_UsageType=f"UnusedBox:{TRN1}", **reserved)


def reserved(world: World) -> None:
    """A plan pays for idle hours of two reservations, of which one covered a run; one has none."""
    held = {"CapacityReservationId": "cr-2", "CapacityReservationStatus": "Used"}
    ran(world, "kept", "t1", "09-02", **plan("sp-both"), **held)
    ran(world, "far", "t1", "09-02", 90, **plan("sp-both"))
    alone = {"CapacityReservationId": "cr-4", "CapacityReservationStatus": "Used"}
    ran(world, "planless", "t1", "09-02", **alone)
    alone["CapacityReservationStatus"] = "Unused"
    world.charge("2025-09-20T00:00:00", 25, x_UsageType=f"UnusedBox:{TRN1}", **alone)
    for name, hours in (("cr-2", 12), ("cr-3", 3)):
        unused = {"CapacityReservationId": name, "CapacityReservationStatus": "Unused"}
        told = {"x_UsageType": f"UnusedBox:{TRN1}", "BilledCost": 0, **plan("sp-both"), **unused}
        world.hours("2025-09-20T00:00:00", hours, TRN1, 10, {}, **told)


def loose(world: World) -> None:
    """Hours without a run tag: before the cutover, on its day, after it, and on GPU."""
    ran(world, "loose", "t1", "09-02", **plan("sp-loose"))
    for day, kind in (("09-01", TRN1), ("09-02", TRN1), ("09-05", TRN1), ("09-06", P4D)):
        ran(world, "loose", "", day, kind=kind, rate=1, **plan("sp-loose"))
    idle(world, "sp-loose", "09-20", 90)


def nobodys(world: World) -> None:
    """What covered no run: $125 for accelerators or for nobody knows what, and $7,000 beside."""
    back = plan("sp-undone") | {"ChargeClass": "Correction"}
    for hours, told in ((5, plan("sp-undone")), (-5, back)):
        ran(world, "undone", "t1", "09-02", hours, **told)
    idle(world, "sp-undone", "09-20", 10, f"UnusedBox:{TRN1}")
    idle(world, "cr-none", "09-21", 20, f"UnusedBox:{P4D}")
    nameless = {"CommitmentDiscountId": "", "CommitmentDiscountStatus": "Unused"}
    world.charge("2025-09-22T00:00:00", 70, x_UsageType="ComputeSP:1yr", **nameless)
    world.charge("2025-09-22T00:00:00", 1000, x_UsageType="UnusedBox:m5.large", **nameless)
    idle(world, "sp-of-the-web-fleet", "09-22", 2000)
    idle(world, "sp-of-trn1", "09-22", 25, "USW2-EC2SP:trn1.3yrNoUpfront")
    idle(world, "sp-of-m5", "09-22", 4000, "EC2SP:m5.1yrAllUpfront")


def stranded(world: World) -> None:
    """Plans that had covered GPU runs until a move on 11 September, and one in July."""
    for workload, days in (("old", ("01-15",)), ("a", ("05-02", "05-03")), ("b", ("05-02",))):
        for day in days:
            name = "sp-old" if workload == "old" else "sp-two"
            ran(world, workload, "g1", day, kind=P4D, **plan(name))
        ran(world, workload, "t1", "09-11")
    for day, cost in (("2024-12-11", 800), ("03-10", 38), ("09-11", "62.5"), ("10-10", "83.5")):
        idle(world, "sp-old", day, cost)
    idle(world, "sp-two", "09-20", 50)
    idle(world, "sp-two", "09-20", 40, f"UnusedBox:{P4D}")
    ran(world, "long", "g1", "05-02", kind=P4D, **plan("sp-long"))
    ran(world, "long", "t1", "07-10")
    for day, cost in (("07-20", 7), ("10-28", 5)):
        idle(world, "sp-long", day, cost)


def workers(world: World) -> None:
    """A run whose first machine alone bears its tag: a plan covered the nine hours beside it.

    On the next day, on which no run of the workload had a GPU, it covered ten more.
    """
    ran(world, "workers", "g1", "05-02", 1, kind=P4D)
    for day, hours in (("05-02", 9), ("05-03", 10)):
        ran(world, "workers", "", day, hours, kind=P4D, **plan("sp-workers"))
    ran(world, "workers", "t1", "09-11", **plan("sp-workers"))
    idle(world, "sp-workers", "09-20", 44)
    ran(world, "tagged", "g1", "09-12", 1, kind=P4D, **plan("sp-tagged"))
    ran(world, "tagged", "", "09-12", 9, kind=P4D, **plan("sp-tagged"))
    ran(world, "tagged", "t1", "10-05")
    ran(world, "beside", "t1", "09-12", 10, **plan("sp-tagged"))
    idle(world, "sp-tagged", "09-20", 60)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("commitments"))
    for trouble in (shares, reserved, loose, nobodys, stranded, workers):
        trouble(world)
    for day in ("10-28", "10-29"):
        ran(world, "checked", "v1", day)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    upkeep = {"workload": "checked", "kind": "upkeep", "amount_per_month": 31}
    investments = [upkeep | {"date": day} for day in (date(2025, 10, 31), date(2027, 1, 1))]
    once = {"workload": "checked", "kind": "partner", "date": date(2025, 8, 1)}
    investments += [once | {"amount": amount} for amount in (100, 11)]
    runs = [{"run": "v1", "purpose": "validation"}]
    return some_marts(
        world.pulled(investments=investments, runs=runs),
        "break_even",
        "investments",
        "portfolio_daily",
        "savings_daily",
        "spend_daily",
    )


def overhead(marts: Marts, workload: str) -> list[tuple[Any, ...]]:
    rows = marts.rows(
        "SELECT strftime(date, '%m-%d') AS day, overhead FROM savings_daily "
        "WHERE workload = ? AND overhead <> 0 ORDER BY 1",
        workload,
    )
    return [tuple(row.values()) for row in rows]


def invested(marts: Marts, kind: str) -> list[tuple[Any, ...]]:
    rows = marts.rows(
        "SELECT workload, date, amount FROM investments WHERE kind = ? ORDER BY ALL", kind
    )
    return [tuple(row.values()) for row in rows]


def test_a_months_idle_falls_on_its_covered_hours_whatever_their_lines(marts: Marts) -> None:
    """$40 and $60 on ten hours in two lines and ten in one."""
    assert overhead(marts, "shared") == [("09-02", 50), ("09-04", 50)]


def test_hours_that_have_not_settled_bear_no_idle_commitment(marts: Marts) -> None:
    assert overhead(marts, "open") == [("10-02", 50)]


def test_half_an_hour_bears_the_idle_of_its_plan(marts: Marts) -> None:
    assert overhead(marts, "brief") == [("09-02", 30)]


def test_a_reservation_beside_a_plan_leaves_both_their_idle(marts: Marts) -> None:
    assert overhead(marts, "twice") == [("09-02", 50)]


def test_idle_hours_of_a_reservation_are_its_own_though_a_plan_paid_for_them(marts: Marts) -> None:
    """$120 of it; the plan covered ninety hours of another workload, and those bear nothing."""
    assert overhead(marts, "kept") == [("09-02", 120)]
    assert overhead(marts, "far") == []


def test_idle_hours_of_a_reservation_without_a_plan_fall_on_what_it_covered(marts: Marts) -> None:
    assert overhead(marts, "planless") == [("09-02", 25)]


def test_trainium_hours_without_a_run_bear_it_from_the_cutover_on(marts: Marts) -> None:
    """$90 on twenty hours of the cutover's day and ten of the fifth, which cost $10 themselves."""
    assert overhead(marts, "loose") == [("09-02", 60), ("09-05", 30 + 10)]


def test_what_covered_no_run_is_the_portfolios_if_it_is_for_accelerators(marts: Marts) -> None:
    """Beside what workloads bear, and without what was stranded."""
    own = "SELECT sum(overhead) AS overhead FROM savings_daily WHERE settled"
    whole = "SELECT sum(overhead) AS overhead FROM portfolio_daily WHERE settled"
    alone = marts.row(whole)["overhead"] - marts.row(own)["overhead"]
    # of nobody's, of a plan for the family trn1, of a reservation that covered nothing
    kept = 10 + 20 + 70 + 25 + 30
    left = 62 + Decimal("83.5")  # of the plans of those who moved, as idle as before
    assert alone == kept + left


def test_a_plan_for_one_family_is_of_that_platform(marts: Marts) -> None:
    rows = marts.rows(
        "SELECT DISTINCT instance_type, platform, hardware, instance_hours FROM spend_daily "
        "WHERE instance_type IN ('trn1', 'm5') ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("m5", None, None, None),
        ("trn1", "trn1", "trainium", None),
    ]


def test_what_a_move_stranded_is_beyond_the_average_before_it(marts: Marts) -> None:
    """$838 in 9 months, 20 days of December and 10 of September: $93 a month, $3.10 a day there.

    September: $62.50 less 20 days of 30, 50 cents. October, with $83.50 less 28 days of 31, was
    idle for 50 cents less than usual. The other plan had never been idle; ten of its GPU hours
    were b's, twenty a's.
    """
    september = date(2025, 9, 1)
    assert invested(marts, "stranded_commitment") == [
        ("a", september, 60),
        ("b", september, 30),
        ("long", date(2025, 7, 1), 7),
        ("long", date(2025, 10, 1), 5),
        ("old", september, Decimal("0.5")),
        ("workers", september, 44),
    ]


def test_hours_that_runs_share_are_hours_of_runs(marts: Marts) -> None:
    """Ten hours of p4d, of which one bears a run's tag, and ten of Trainium: $30 of $60 each."""
    assert overhead(marts, "beside") == [("09-12", 30)]


@pytest.mark.parametrize(
    ("costs", "stranded"),
    [({date(2025, 9, 20): "50"}, "50"), ({date(2025, 9, 20): "0"}, None),
     ({date(2025, 9, 20): "-5", date(2025, 9, 21): "25"}, "20")],
)  # fmt: skip
def test_no_more_is_stranded_than_stands_idle_though_idle_before_was_refunded(
    costs: dict[date, str], stranded: str | None
) -> None:
    plan = {"commitment": "sp", "since": date(2025, 6, 1), "until": date(2025, 10, 31)}
    idle = [
        plan | {"date": day, "month": day.replace(day=1), "cost": Decimal(cost)}
        for day, cost in {date(2025, 7, 10): "-300", **costs}.items()
    ]
    found = applied(
        stranded_commitments,
        table(dict.fromkeys(("date", "month", "since", "newest", "until"), "date")
              | {"commitment": "string", "cost": schema.MONEY}, *idle),
        table({"commitment": "string", "workload": "string", "hardware": "string",
               "hours": schema.MONEY},
              {"commitment": "sp", "workload": "a", "hardware": "gpu", "hours": Decimal(10)}),
        table({"workload": "string", "cutover": "date"},
              {"workload": "a", "cutover": date(2025, 9, 1)}),
    )  # fmt: skip
    assert sum(amount for (amount,) in rows(found, "amount")) == Decimal(stranded or 0)


RESERVATION = "arn:aws:ec2:us-east-1:999900000001:reserved-instances/ri-1"


@pytest.mark.parametrize(
    ("name", "second", "stranded"),
    [
        # before: $62 and $40 in 1 1/3 months, $76.50 a month; after: $80 − $51 and $100 − $76.50
        (RESERVATION, "09-01", {"09-11": "29", "10-01": "23.5"}),
        ("any of the reservations of p4d.24xlarge in USE1 of 999900000001", "09-01",
         {"09-11": "29", "10-01": "23.5"}),
        # a plan is billed by the hour: the first of September lies before the move
        ("sp", "09-01", {}),
        # and what a reservation is billed for on other days, too, is of these
        (RESERVATION, "09-02", {}),
    ],
)  # fmt: skip
def test_what_is_billed_of_a_reservation_for_a_month_is_before_and_after_the_move_by_days(
    name: str, second: str, stranded: dict[str, str]
) -> None:
    """From the move on: it is no earlier investment."""
    costs = {"08-01": "62", second: "120", "10-01": "100"}
    assert left_idle(name, "08-01", costs) == {day: Decimal(of) for day, of in stranded.items()}


@pytest.mark.parametrize(
    ("name", "stranded"),
    # before: 6 of the 26 days of $104, $24, in 0.2 months: $120 a month; then $80 and $150
    [(RESERVATION, {"10-01": Decimal(30)}), ("sp", {})],
)
def test_what_is_billed_of_a_reservation_of_mid_month_is_for_the_rest_of_it(
    name: str, stranded: dict[str, Decimal]
) -> None:
    assert left_idle(name, "09-05", {"09-05": "104", "10-01": "150"}) == stranded


@pytest.mark.parametrize(
    ("name", "newest", "stranded"),
    [
        # ten of the 31 days of October at $93 a month
        ("sp", "10-10", {"10-05": Decimal(20)}),
        # a month may pass without a line, and a reservation is listed by the month
        ("sp", "11-01", {}),
        (RESERVATION, "10-10", {}),
    ],
)
def test_a_month_in_which_a_commitment_ended_is_held_against_its_days(
    name: str, newest: str, stranded: dict[str, Decimal]
) -> None:
    """$157 in 11 days of July, August, and 10 days of September: $93 a month, $30 in 10 days."""
    costs = {"07-21": "157", "10-05": "50"}
    assert left_idle(name, "07-21", costs, newest, "11-30") == stranded


def left_idle(
    name: str, since: str, costs: dict[str, str], newest: str = "10-31", until: str = "10-31"
) -> dict[str, Decimal]:
    """What was left idle of a commitment for GPU, by day, of its idle cost by day: a move on the
    eleventh of September."""
    ends = {"since": since, "newest": newest, "until": until}
    plan: dict[str, Any] = {"commitment": name}
    plan |= {end: date.fromisoformat(f"2025-{day}") for end, day in ends.items()}
    days = {date.fromisoformat(f"2025-{day}"): cost for day, cost in costs.items()}
    idle = [
        plan | {"date": day, "month": day.replace(day=1), "cost": Decimal(cost)}
        for day, cost in days.items()
    ]
    found = stranded_commitments(
        table(dict.fromkeys(("date", "month", "since", "newest", "until"), "date")
              | {"commitment": "string", "cost": schema.MONEY}, *idle),
        table({"commitment": "string", "workload": "string", "hardware": "string",
               "hours": schema.MONEY},
              {"commitment": name, "workload": "a", "hardware": "gpu", "hours": Decimal(10)}),
        table({"workload": "string", "cutover": "date"},
              {"workload": "a", "cutover": date(2025, 9, 11)}),
    )  # fmt: skip
    return {f"{day:%m-%d}": amount for day, amount in rows(found, "date", "amount")}


def test_what_is_left_idle_each_month_is_said_beside_the_months_to_pay(marts: Marts) -> None:
    """METHOD §6 counts it as investment, so neither a payback nor a forecast does.

    Up to the last settled day: of `long` the $5 of that day, and not July's $7.
    """
    words = "; ${} of commitments was left idle in the last 12 weeks, which no month to come counts"
    told = {
        "a": "60.00", "b": "30.00", "long": "5.00", "old": "0.50", "workers": "44.00",
        "(portfolio)": "139.50",
    }  # fmt: skip
    found = {
        row["workload"]: row["reason"]
        for row in marts.rows("SELECT workload, reason FROM break_even")
    }
    for workload, amount in told.items():
        assert words.format(amount) in found[workload]
    assert {name for name, reason in found.items() if "idle in the last" in reason} == {*told}


def test_recurring_outlays_begin_with_their_day_and_end_with_what_is_known(marts: Marts) -> None:
    """A validation's day that has not settled costs nothing yet, and upkeep is no investment."""
    assert invested(marts, "validation") == [("checked", date(2025, 10, 1), 100)]
    assert invested(marts, "upkeep") == []
    assert invested(marts, "partner") == [("checked", date(2025, 8, 1), 111)]


UNUSED = {
    **dict.fromkeys(("billing_account", "commitment", "reservation", "instance_type"), "string"),
    **dict.fromkeys(("attribution", "purchase_option", "hardware"), "string"),
    "date": "date", "settled": "boolean", "cost": schema.MONEY,
}  # fmt: skip


def test_what_stood_idle_has_the_name_of_what_kept_it() -> None:
    """A reservation before the plan that paid for it, a block before the reservation it has."""
    block, usual = {"purchase_option": "capacity_block"}, {"purchase_option": "on_demand"}
    told: list[tuple[Any, ...]] = [
        ("cr-1", usual, "cr-1", "sp-1"),
        ("sp-1", usual, None, "sp-1"),
        ("block", block, "cr-2", "block"),
        ("cr-2", block, "cr-2", None),
        (None, usual, None, None),
    ]
    day = {"date": date(2025, 9, 2), "settled": True, "attribution": "idle_commitment"}
    own = {"billing_account": "1", "cost": 1, **day}
    charges = [
        own | option | {"reservation": held, "commitment": plan} for _, option, held, plan in told
    ]
    made = idle_commitments(
        table(UNUSED, *charges),
        table(
            {"billing_account": "string", "settled_through": "date"},
            {"billing_account": "1", "settled_through": date(2025, 9, 30)},
        ),
    )
    assert rows(made, "commitment", "cost") == [
        ("block", 1),
        ("cr-1", 1),
        ("cr-2", 1),
        ("sp-1", 1),
        (None, 1),
    ]
