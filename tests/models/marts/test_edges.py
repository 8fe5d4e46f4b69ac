"""What a bill and a log hold once in a thousand lines: one world, each workload one trouble."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import ACCOUNT, Marts, World

P4D, P5, TRN1 = "p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge"
MEMBER = "999900000002"
DAY = "2025-09-02T00:00:00"
TOKENS = 24_691_357_101
"""Two Trainium epochs' of `sized`."""
ASKED = (
    "baselines", "break_even", "cost_per_epoch", "freshness", "loss_curve",
    "monthly_summary", "progress_daily", "runs", "savings_daily", "spend_daily", "tie_out",
)  # fmt: skip
MONDAYS = [f"{date(2025, 7, 7) + timedelta(weeks=week):%m-%d}" for week in range(12)]
FREE = {"ListCost": 0, "ContractedCost": 0}
BLOCK = {
    "instance_type": P5,
    "region": "us-west-2",
    "instances": 1,
    "fee": 480,
    "start": datetime(2025, 8, 1, tzinfo=UTC),
    "end": datetime(2025, 8, 2, tzinfo=UTC),
}


def ran(
    world: World, workload: str, run: str, day: str, hours: object = 10, **columns: object
) -> None:
    """Trainium hours at $10, unless said otherwise."""
    tags = {"workload": workload, "run": run}
    rate = columns.pop("rate", 10)
    kind = str(columns.pop("kind", TRN1))
    world.hours(f"2025-{day}T00:00:00", hours, kind, rate, tags, **columns)


def logged(
    world: World, workload: str, run: str, *samples: tuple[str, object], **columns: object
) -> None:
    for at, epoch in samples:
        world.sample(f"2025-{at}:00:00", run, epoch, workload=workload, **columns)


def tagged(world: World) -> None:
    """Of the accelerator-hours that name a team most are blue's; storage says green."""
    for team, hours in (("blue", 10), ("amber", 2), (None, 20)):
        tags = {"workload": "tagged", "run": "r"} | ({"team": team} if team else {})
        world.hours(DAY, hours, TRN1, 10, tags)
    for day, credit in (("02", -3), ("03", -4)):
        own = {"workload": "tagged"}
        world.charge(f"2025-09-{day}T00:00:00", credit, ChargeCategory="Credit", tags=own)
    green = {"workload": "tagged", "run": "r", "team": "green"}
    world.charge(DAY, 1, x_UsageType="EBS:VolumeUsage.gp3", tags=green)


def parts(world: World) -> None:
    """Storage and network, by their usage or by the bill's category."""
    ran(world, "parts", "r", "09-02", 1)
    tags = {"workload": "parts", "run": "r"}
    for cost, usage, category in (
        (2, "USE1-DataTransfer-Regional-Bytes", None),
        (4, "Odd-1", "Networking"),
        (8, "Odd-2", "Storage"),
        (16, "EBS:VolumeUsage.gp3", None),
        (32, "Odd-3", "Analytics"),
    ):
        world.charge(DAY, cost, x_UsageType=usage, ServiceCategory=category, tags=tags)


def unpriced(world: World) -> None:
    """The target is reached on a day at an unknown price; a day that has not settled has one."""
    ran(world, "blind", "r", "09-02")
    ran(world, "blind", "r", "09-03", rate=0, **FREE)
    logged(world, "blind", "r", ("09-02T00", 0), loss=3.0)
    logged(world, "blind", "r", ("09-03T06", 2), loss=1.0)
    ran(world, "blind", "r", "09-04")
    logged(world, "blind", "r", ("09-04T12", 3), loss=1.0)
    for run in ("a", "b"):
        ran(world, "late", run, "09-02", 1)
        logged(world, "late", run, ("09-02T00", 0), ("09-02T01", 1))
    ran(world, "late", "a", "10-30", 1)
    ran(world, "late", "b", "10-30", 1, rate=0, **FREE)
    for run, parent in (("a", None), ("b", "a")):
        ran(world, "joined", run, "09-02", 1)
        logged(world, "joined", run, ("09-02T00", 0), ("09-02T01", 1), resumed_from=parent)
    ran(world, "joined", "a", "10-30", 1)
    ran(world, "joined", "b", "10-30", 1, rate=0, **FREE)


def half_listed(world: World) -> None:
    """Two lines of one grain, and two fees of a block: one of them says no list cost."""
    ran(world, "listed", "r", "09-02", 1, CommitmentDiscountId="sp-1")
    ran(world, "listed", "r", "09-02", 1, CommitmentDiscountId="sp-2", ListCost="")
    fee = {"ChargeCategory": "Purchase", "RegionId": "us-west-2"}
    usage = {"x_UsageType": f"CapacityBlockFee:{P5}"}
    world.charge("2025-07-15T00:00:00", 240, **fee, **usage)
    world.charge("2025-08-01T00:00:00", 240, **fee, **usage, ListCost="", ContractedCost="")
    world.charge("2025-08-01T00:00:00", 33, **fee, x_UsageType=f"HeavyUsage:{P5}")
    ran(world, "listed", "b", "08-01", 24, kind=P5, rate=0, RegionId="us-west-2", **FREE)


def named_otherwise(world: World) -> None:
    """Hours whose instance type stands without a colon, in a column, or in the description."""
    hours = {"ConsumedQuantity": 3, "ConsumedUnit": "Hours"}
    for run, told in (
        ("sku", {"x_UsageType": f"{TRN1} on demand"}),
        ("column", {"SkuPriceDetails": json.dumps({"InstanceType": TRN1})}),
        ("words", {"ChargeDescription": f"$21.50 per On Demand Linux {TRN1} Instance Hour"}),
    ):
        tags = {"workload": "named", "run": run}
        world.charge(DAY, 30, tags=tags, **told, **hours)


def without_tokens(world: World) -> None:
    """Epochs of two sizes, and a token counter that never moved."""
    for run, kind, day, size in (("g", P4D, "05-02", 1000), ("t", TRN1, "09-02", 2000)):
        ran(world, "wordless", run, day, kind=kind)
        columns = {"samples_per_epoch": size, "tokens": 0}
        logged(world, "wordless", run, (f"{day}T00", 0), (f"{day}T10", 2), **columns)


def sized(world: World) -> None:
    """Epochs of two sizes, counted in tokens; one run has reported nothing yet."""
    for run, kind, day, size in (("g", P4D, "05-02", 2 * TOKENS), ("t", TRN1, "09-02", TOKENS)):
        ran(world, "sized", run, day, kind=kind)
        for at, epoch in ((f"{day}T00", 0), (f"{day}T10", 2)):
            columns = {"samples_per_epoch": size, "tokens": epoch * size // 2}
            logged(world, "sized", run, (at, epoch), **columns)
    ran(world, "sized", "t", "09-03", 2)  # and no word of what it did
    ran(world, "sized", "silent", "09-05", 1)
    ran(world, "sized", "other", "09-05", 1)
    logged(world, "sized", "other", ("09-05T00", 0), ("09-05T01", 1), recipe="lora")


def single(world: World) -> None:
    """One GPU run of one epoch is a baseline where `min_runs` is 1."""
    ran(world, "single", "g", "09-02", kind=P4D, rate=25)
    logged(world, "single", "g", ("09-02T00", 0), ("09-02T10", 1))
    ran(world, "single", "mute", "09-03", kind=P4D, rate=25)  # of another recipe


def together(world: World) -> None:
    """Two runs of a lineage on one day, 6 and 2 hours; a loss at noon."""
    for run, hours, parent in (("a", 6, None), ("b", 2, "a")):
        ran(world, "together", run, "09-02", hours)
        ran(world, "together", run, "09-03", hours)
        logged(world, "together", run, ("09-02T00", 0), resumed_from=parent)
    logged(world, "together", "b", ("09-03T12", 3), resumed_from="a", loss=2.0)


def brink(world: World) -> None:
    """The target is reached on the last settled day, at half of the run's time."""
    ran(world, "brink", "r", "10-28")
    logged(world, "brink", "r", ("10-28T00", 0), loss=3.0)
    logged(world, "brink", "r", ("10-28T05", 2), ("10-28T10", 3), loss=1.0)


def kinds(world: World) -> None:
    """Three GPU runs of one recipe, and twice as much Trainium work of another."""
    for place, recipe in enumerate(("full", "full", "full", "lora")):
        ran(world, "kinds", f"g{place}", "05-02", kind=P4D)
        logged(world, "kinds", f"g{place}", ("05-02T00", 0), ("05-02T10", 1), recipe=recipe)
    for recipe, epochs in (("full", 1), ("lora", 2)):
        ran(world, "kinds", recipe, "09-02")
        logged(world, "kinds", recipe, ("09-02T00", 0), ("09-02T10", epochs), recipe=recipe)


def judged(world: World) -> None:
    """One Trainium run ended worse than the GPU's, one still runs."""
    ran(world, "judged", "g", "05-02", kind=P4D)
    logged(world, "judged", "g", ("05-02T00", 0), ("05-02T10", 2), loss=1.5)
    for run, day in (("worse", "09-02"), ("open", "10-28")):
        ran(world, "judged", run, day)
        logged(world, "judged", run, (f"{day}T00", 0), (f"{day}T10", 2), loss=2.0)


def passed(world: World) -> None:
    """One Trainium run, as good as the GPU's, of whose two days one has no list cost."""
    ran(world, "passed", "g", "05-02", kind=P4D)
    ran(world, "passed", "g", "05-03", kind=P4D, ListCost="")
    logged(world, "passed", "g", ("05-02T00", 0), ("05-03T10", 2), loss=1.5)
    ran(world, "passed", "t", "09-02")
    logged(world, "passed", "t", ("09-02T00", 0), ("09-02T10", 2), loss=1.5)


def brief(world: World) -> None:
    """Less than an accelerator-hour, and storage that has no hardware of its own."""
    ran(world, "brief", "r", "09-02", "0.05")
    tags = {"workload": "brief", "run": "r"}
    world.charge(DAY, 1, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)


def unbilled(world: World) -> None:
    """No charge says whose it is, and the bill of one account stopped before its samples."""
    world.charge("2025-09-10T00:00:00", 1, BillingAccountId="x", x_UsageType="Requests-Tier1")
    logged(world, "unbilled", "r", ("09-12T00", 0), ("09-12T09", 3))


def ported(world: World) -> None:
    """On one day a port run gets to epoch 2, and production goes on from there to epoch 4."""
    ran(world, "ported", "g", "05-02", kind=P4D)
    logged(world, "ported", "g", ("05-02T00", 0), ("05-02T10", 2))
    for run, begin, end, told in (
        ("p", ("09-02T00", 0), ("09-02T06", 2), {"purpose": "port"}),
        ("q", ("09-02T06", 2), ("09-02T12", 4), {"resumed_from": "p"}),
    ):
        ran(world, "ported", run, "09-02", 6)
        logged(world, "ported", run, begin, end, **told)


def ghost(world: World) -> None:
    """Half an epoch, and nothing on the bill; its log arrived newest first."""
    logged(world, "ghost", "r", ("09-02T09", "0.5"), ("09-02T05", "0.25"), ("09-02T00", 0))
    ran(world, "shuffled", "r", "09-02")
    logged(world, "shuffled", "r", ("09-02T09", 4), ("09-02T05", 2), ("09-02T00", 0))


def carried(world: World) -> None:
    """A run that no bill names goes on from one that ran on Trainium."""
    ran(world, "carried", "a", "09-02")
    logged(world, "carried", "a", ("09-02T00", 0), ("09-02T10", 2))
    logged(world, "carried", "b", ("09-03T00", 2), ("09-03T10", 3), resumed_from="a")


def passed_on(world: World) -> None:
    """A lineage that began on GPU; the next day two runs on Trainium go on, and a port run."""
    ran(world, "split", "g", "05-02", kind=P4D)
    logged(world, "split", "g", ("05-02T00", 0), ("05-02T10", 1))
    ran(world, "split", "a", "09-01", kind=P4D)
    logged(world, "split", "a", ("09-01T00", 0), ("09-01T10", 2))
    for run, begin, end, told in (
        ("b", ("09-02T00", 2), ("09-02T05", 3), {"resumed_from": "a"}),
        ("c", ("09-02T05", 3), ("09-02T10", 5), {"resumed_from": "b"}),
        ("d", ("09-02T11", 5), ("09-02T12", 6), {"resumed_from": "c", "purpose": "port"}),
    ):
        ran(world, "split", run, "09-02", 5, **({"ListCost": ""} if run == "c" else {}))
        logged(world, "split", run, begin, end, **told)


def unlisted(world: World) -> None:
    """A GPU run whose hours the bill lists at $0: it says no price."""
    ran(world, "unlisted", "g", "05-02", kind=P4D, rate=25, ListCost=0)
    logged(world, "unlisted", "g", ("05-02T00", 0), ("05-02T10", 2))


def fallen(world: World) -> None:
    """Forty epochs at $90 that cost $100 on GPU, then one a week at $110."""
    ran(world, "fallen", "g", "05-02", kind=P4D, RegionId="xx-none-9")  # no price to cut
    logged(world, "fallen", "g", ("05-02T00", 0), ("05-02T10", 1))
    ran(world, "fallen", "t", "06-02", rate=360)
    logged(world, "fallen", "t", ("06-02T00", 0), ("06-02T10", 40))
    for day in MONDAYS:
        ran(world, "fallen", day, day, rate=11)
        logged(world, "fallen", day, (f"{day}T00", 0), (f"{day}T10", 1))


def undone(world: World) -> None:
    """Hours that a correction takes back, of the only run and of one of two that share."""
    back = {"ChargeClass": "Correction", "ResourceId": "i-1"}
    for hours, rate, told in ((20, 10, {}), (-15, 10, back)):
        ran(world, "undone", "r", "09-02", hours, kind=P4D, rate=rate, **told)
    ran(world, "undone", "r", "09-02", 5)
    for name, hours, told in (("a", 10, {}), ("a", -5, back), ("b", 5, {})):
        ran(world, "halved", name, "09-02", hours, **told)
    world.hours(DAY, 10, TRN1, 10, {"workload": "halved"})


def given(world: World) -> None:
    """Spot hours that cost nothing; storage that a run had the day before it began."""
    ran(world, "given", "r", "09-02", rate=0, x_UsageType=f"SpotUsage:{TRN1}", **FREE)
    ran(world, "given", "r", "09-03")
    tags = {"workload": "given", "run": "r"}
    world.charge("2025-09-01T00:00:00", 1, x_UsageType="EBS:VolumeUsage.gp3", tags=tags)
    ran(world, "given", "new", "10-30")


def elsewhere(world: World) -> None:
    """A GPU run on hardware of four kinds, in regions that no price list knows."""
    for kind in (P5, "g6.48xlarge", P4D, "g5.48xlarge"):
        ran(world, "elsewhere", "g", "05-02", kind=kind, RegionId="xx-none-9")
    logged(world, "elsewhere", "g", ("05-02T00", 0), ("05-02T10", 2))


def inherited(world: World) -> None:
    """A run of another recipe resumes one of the GPU's; epochs whose size the GPU never said."""
    for name in ("heir", "unsized"):
        ran(world, name, "g", "05-02", kind=P4D)
        logged(world, name, "g", ("05-02T00", 0), ("05-02T10", 2), recipe="full")
        ran(world, name, "a", "09-02")
    logged(world, "heir", "a", ("09-02T00", 0), ("09-02T10", 2), recipe="full")
    ran(world, "heir", "b", "09-03")
    later = {"resumed_from": "a", "recipe": "lora"}
    logged(world, "heir", "b", ("09-03T00", 2), ("09-03T10", 4), **later)
    sized_ = {"recipe": "full", "samples_per_epoch": 1000}
    logged(world, "unsized", "a", ("09-02T00", 0), ("09-02T10", 2), **sized_)


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    world = World(tmp_path_factory.mktemp("edges"))
    for trouble in (
        tagged,
        parts,
        unpriced,
        half_listed,
        named_otherwise,
        without_tokens,
        sized,
        single,
        together,
        brink,
        kinds,
        judged,
        passed,
        brief,
        unbilled,
        ported,
        ghost,
        carried,
        passed_on,
        unlisted,
        fallen,
        undone,
        given,
        inherited,
        elsewhere,
    ):
        trouble(world)
    ran(world, "alone", "r", "07-01", kind=P5, rate=0, SubAccountId=MEMBER, **FREE)
    world.charge("2025-10-30T00:00:00", 1, x_UsageType="Requests-Tier1")
    config = world.settings()
    config.data.mkdir(parents=True, exist_ok=True)
    today = datetime.now(UTC).date()
    asked = [
        {"at": f"{day}T08:00:00Z", "source": "focus", "account": ACCOUNT, "dollars": cost}
        for day, cost in ((today - timedelta(days=1), "4"), (today, "0.01"), (today, "0.02"))
    ]
    ledger = "".join(json.dumps(entry) + "\n" for entry in asked)
    (config.data / "requests.jsonl").write_text(ledger, encoding="utf-8")
    settings = world.pulled(
        tags={"extra": ["purpose", "recipe", "team"]},
        baseline={"min_runs": 1},
        workloads=[{"name": name, "target_loss": 1.2} for name in ("blind", "brink")],
        capacity_blocks=[BLOCK],
        runs=[{"run": "mute", "recipe": "lora"}],
    )
    return some_marts(settings, *ASKED)


def run(marts: Marts, workload: str, name: str = "r") -> dict[str, Any]:
    return marts.row("SELECT * FROM runs WHERE workload = ? AND run = ?", workload, name)


def test_a_run_carries_the_tag_of_most_of_its_accelerator_hours(marts: Marts) -> None:
    assert run(marts, "tagged")["tag_team"] == "blue"


def test_credits_of_a_month_add_up_and_are_no_price(marts: Marts) -> None:
    month = "SELECT credits FROM monthly_summary WHERE month = '2025-09' AND workload = ?"
    assert [marts.row(month, name)["credits"] for name in ("tagged", "(portfolio)")] == [-7, -7]
    assert run(marts, "tagged")["cost"] == 321


def test_the_parts_of_a_run_are_told_by_usage_or_by_category(marts: Marts) -> None:
    found = run(marts, "parts")
    names = ("accelerator", "network", "storage", "other")
    assert [found[f"{name}_cost"] for name in names] == [10, 6, 24, 32]


def test_what_it_cost_to_the_target_is_unknown_with_one_of_its_days(marts: Marts) -> None:
    found = run(marts, "blind")
    assert (found["cost"], found["cost_to_target_loss"]) == (None, None)


def test_the_last_settled_day_counts_to_the_target(marts: Marts) -> None:
    assert run(marts, "brink")["cost_to_target_loss"] == 50


@pytest.mark.parametrize("workload", ["late", "joined"])
def test_a_day_that_has_not_settled_is_unknown_with_one_of_its_runs(
    marts: Marts, workload: str
) -> None:
    assert run(marts, workload, "a")["cost"] == 10
    day = "SELECT trn_cost FROM savings_daily WHERE date = '2025-10-30' AND workload = ?"
    assert marts.row(day, workload) == {"trn_cost": None}


def test_each_recipe_has_a_baseline_of_its_own_gpu_runs(marts: Marts) -> None:
    kinds = "SELECT DISTINCT recipe, runs FROM baselines WHERE workload = 'kinds' ORDER BY recipe"
    assert marts.rows(kinds) == [{"recipe": "full", "runs": 3}, {"recipe": "lora", "runs": 1}]


def test_worse_beside_what_still_runs_is_mixed(marts: Marts) -> None:
    assert [run(marts, "judged", name)["parity"] for name in ("worse", "open")] == [
        "below_parity",
        "pending",
    ]
    assert marts.standing("judged")["parity"] == "mixed"


def test_one_good_run_is_parity(marts: Marts) -> None:
    assert marts.standing("passed")["parity"] == "parity"


def test_a_baseline_at_list_is_unknown_with_one_of_its_days(marts: Marts) -> None:
    found = marts.row(
        "SELECT measured, value_at_list FROM baselines WHERE workload = 'passed' "
        "AND date = '2025-09-02'"
    )
    assert found == {"measured": 100, "value_at_list": None}


def test_a_list_cost_is_unknown_with_one_of_its_lines(marts: Marts) -> None:
    found = run(marts, "listed")
    assert (found["cost"], found["list_cost"]) == (20, None)
    day = "SELECT list_cost FROM spend_daily WHERE workload = 'listed' AND run = 'r'"
    assert marts.rows(day) == [{"list_cost": None}]


def test_a_fee_without_a_list_cost_is_the_list_cost_of_its_hours(marts: Marts) -> None:
    hours = marts.row(
        "SELECT effective_cost, list_cost, contracted_cost FROM spend_daily WHERE run = 'b' "
        "AND workload = 'listed'"
    )
    assert list(hours.values()) == [480, 480, 480]
    kept = "SELECT effective_cost AS c FROM spend_daily WHERE attribution = 'purchase' ORDER BY 1"
    assert [row["c"] for row in marts.rows(kept)] == [0, 0, 33]


@pytest.mark.parametrize("name", ["sku", "column", "words"])
def test_an_instance_type_is_read_wherever_the_bill_says_it(marts: Marts, name: str) -> None:
    found = run(marts, "named", name)
    assert (found["accelerator_cost"], found["accelerator_hours"]) == (30, 48)
    kind = "SELECT DISTINCT instance_type FROM spend_daily WHERE workload = 'named'"
    assert marts.rows(kind) == [{"instance_type": TRN1}]


def test_a_counter_that_never_moved_gives_no_unit_of_work(marts: Marts) -> None:
    """Tokens stand still while epochs are made, so samples are counted."""
    assert run(marts, "wordless", "t")["unit"] == "million_samples"
    assert run(marts, "wordless", "t")["comparability"] == "comparable"


def test_a_run_that_made_no_epoch_does_not_decide_the_unit(marts: Marts) -> None:
    assert run(marts, "sized", "t")["unit"] == "billion_tokens"
    assert run(marts, "sized", "silent")["comparability"] == "comparable"
    assert run(marts, "sized", "other")["comparability"] == "recipe differs"


def test_a_loss_that_nothing_was_invested_for_has_no_runs_to_go(marts: Marts) -> None:
    """$10 an epoch were saved 40 times, then $10 lost 12 times: losing, though ahead."""
    found = marts.standing("fallen")
    assert (found["status"], found["cumulative_net_saving"]) == ("losing", 280)
    names = ("progress", "roi", "runs_to_break_even", "payback_months")
    assert [found[name] for name in names] == [None] * 4


def test_hours_that_were_taken_back_make_no_hardware_and_bear_no_share(marts: Marts) -> None:
    """160 GPU-hours less 120 are fewer than 80 on Trainium; 5 hours each share alike."""
    found = run(marts, "undone")
    assert (found["hardware"], found["platform"]) == ("trainium", "trn1")
    assert [run(marts, "halved", name)["cost"] for name in ("a", "b")] == [100, 100]


def test_a_minute_of_accelerators_makes_the_hardware(marts: Marts) -> None:
    kinds = "SELECT DISTINCT hardware FROM spend_daily WHERE workload = 'brief'"
    assert marts.rows(kinds) == [{"hardware": "trainium"}]
    found = run(marts, "brief")
    assert (found["hardware"], found["accelerator_hours"]) == ("trainium", Decimal("0.8"))


def test_what_no_bill_names_waits_for_every_account(marts: Marts) -> None:
    assert run(marts, "unbilled")["epochs"] == 0
    assert marts.row("SELECT epochs FROM progress_daily WHERE workload = 'unbilled'")["epochs"] == 3


def test_a_port_run_shares_no_credit_of_the_day(marts: Marts) -> None:
    credited = [run(marts, "ported", name)["credited_epochs"] for name in ("p", "q")]
    assert credited == [0, 2]


def test_one_run_of_one_epoch_is_repriced_like_any(marts: Marts) -> None:
    found = marts.row(
        "SELECT runs, measured, repriced FROM baselines WHERE workload = 'single' AND main "
        "AND date = '2025-09-10'"
    )
    assert list(found.values()) == [1, 250, Decimal("167.5")]  # $25 × 10 h at 0.67 of the list


def test_a_loss_stands_against_what_the_lineage_had_cost_by_then(marts: Marts) -> None:
    """$80 and 8 hours on the first day, half of as much by noon of the second."""
    found = marts.row(
        "SELECT cost_so_far, hours_so_far, clock_so_far FROM loss_curve WHERE run = 'b'"
    )
    assert found == {"cost_so_far": 120, "hours_so_far": 12, "clock_so_far": 36}


def test_what_it_had_cost_by_a_loss_is_unknown_from_the_first_such_day(marts: Marts) -> None:
    found = marts.rows(
        "SELECT cost_so_far, hours_so_far FROM loss_curve WHERE workload = 'blind' "
        "ORDER BY observed_at"
    )
    known = [tuple(row.values()) for row in found]
    assert known == [(0, 0), (None, Decimal("12.5")), (None, 25)]


def test_of_a_lineage_that_moved_the_trainium_runs_save(marts: Marts) -> None:
    """Three epochs that cost $67 each on GPU at the day's price; one line has no list cost."""
    days = marts.rows(
        "SELECT trn_cost, epochs, credited_epochs, gross_saving, saving_at_list, investment "
        "FROM savings_daily WHERE workload = 'split' AND date >= '2025-09-01' ORDER BY date LIMIT 2"
    )
    assert [tuple(row.values()) for row in days] == [
        (0, 0, 0, 0, 0, 0),
        (100, 3, 3, 3 * 67 - 100, None, 50),
    ]


def test_a_day_without_a_token_costs_what_it_costs(marts: Marts) -> None:
    """Counted, and named with what is counted: nobody said how well the runs did."""
    found = marts.standing("sized")
    assert found["flagged"] == {"unverified": found["cumulative_gross_saving"]}


def test_an_epoch_costs_what_is_known_to_have_been_paid_on_known_hardware(marts: Marts) -> None:
    found = marts.rows(
        "SELECT period, workload, hardware, cost, epochs, runs FROM cost_per_epoch "
        "WHERE workload IN ('blind', 'carried') ORDER BY period"
    )
    assert [tuple(row.values()) for row in found] == [
        (period, "carried", "trainium", 100, 2, 1) for period in ("month", "week")
    ]


def test_half_an_epoch_of_a_day_is_left_out_by_name(marts: Marts) -> None:
    assert run(marts, "ghost")["epochs"] == Decimal("0.5")
    assert marts.standing("ghost")["left_out"] == {"no_accelerator_hours": None}


def test_the_first_sample_is_the_first_in_time(marts: Marts) -> None:
    found = run(marts, "shuffled")
    assert (found["epochs"], found["flags"]) == (4, [])


def test_hours_that_are_listed_at_nothing_stand_at_the_price_table(marts: Marts) -> None:
    """5 hours an epoch × 21.957642 × 250 ÷ (10 × 32.7726); at list nobody knows."""
    found = marts.row(
        "SELECT measured, repriced, value_at_list, flags FROM baselines "
        "WHERE workload = 'unlisted' AND date = '2025-09-10'"
    )
    assert list(found.values()) == [125, Decimal("83.75"), None, []]


def test_an_account_with_nothing_but_unknown_cost_has_no_bridge(marts: Marts) -> None:
    rows = marts.rows("SELECT basis, bridge, remainder FROM tie_out WHERE account = ?", MEMBER)
    assert sorted(tuple(row.values()) for row in rows) == [("billed", 0, 0), ("effective", 0, 0)]


def test_a_feed_says_how_far_it_is_and_what_asking_cost_today(marts: Marts) -> None:
    found = marts.row("SELECT * FROM freshness WHERE source = 'focus' AND account = ?", ACCOUNT)
    assert (found["newest_day"], found["settled_through"]) == (
        date(2025, 10, 30),
        date(2025, 10, 28),
    )
    billed = {"05-02", "07-01", "07-15", "08-01", "09-02", "09-03", "09-05", "10-28", "10-30"}
    billed |= {"05-03", "06-02", "09-04", *MONDAYS}
    whole = (date(2025, 10, 30) - date(2025, 5, 2)).days + 1
    assert found["gap_days"] == whole - len(billed)
    assert (found["requests_today"], found["dollars_today"]) == (2, Decimal("0.03"))


def test_spot_hours_that_cost_nothing_are_spot_at_a_known_cost(marts: Marts) -> None:
    assert run(marts, "given")["cost"] == 1 + 10 * 10
    assert marts.rows(
        "SELECT DISTINCT purchase_option FROM spend_daily WHERE workload = 'given' AND"
        " component = 'accelerator' ORDER BY 1"
    ) == [{"purchase_option": "on_demand"}, {"purchase_option": "spot"}]


def test_storage_of_the_day_before_does_not_start_a_run(marts: Marts) -> None:
    assert run(marts, "given")["started_at"].isoformat() == "2025-09-02T00:00:00"


def test_a_lineage_that_goes_on_in_another_recipe_is_of_neither(marts: Marts) -> None:
    told = {run(marts, "heir", name)["comparability"] for name in ("a", "b")}
    assert told == {"its runs differ in recipe"}


def test_epochs_of_a_known_size_do_not_compare_with_those_of_an_unknown_one(marts: Marts) -> None:
    assert run(marts, "unsized", "a")["comparability"] == "samples per epoch differ"


def test_hours_that_have_not_settled_are_none_yet(marts: Marts) -> None:
    assert run(marts, "given", "new")["accelerator_hours"] == 0


def test_what_has_no_price_is_named_in_its_order(marts: Marts) -> None:
    found = marts.row("SELECT DISTINCT reason FROM baselines WHERE workload = 'elsewhere'")
    kinds_ = ("g5.48xlarge", "g6.48xlarge", P4D, P5)
    named = ", ".join(f"{kind} in xx-none-9" for kind in kinds_)
    assert found["reason"] == (
        f"measured $200.00: price unavailable for 40.00 of 40.00 GPU hours, {named}, "
        "so none is repriced (1 GPU run)"
    )
