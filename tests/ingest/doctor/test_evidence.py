"""What a built bill proves: tags since when, progress per workload, prices of its GPUs."""

from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from breakeven import main
from ingest.doctor import examine
from ingest.doctor.bill.cost_allocation_tags import check_cost_allocation_tags
from ingest.doctor.finding import Finding
from ingest.sources.market.prices import SEED_FILE
from models.config.bill import CapacityBlock, Cost
from models.config.feeds import SourceEntry
from models.config.migration import Investment, RunEntry, WorkloadEntry
from models.config.settings import Settings
from tests.conftest import migrated
from tests.support.some_marts import published
from tests.support.world import World

CLOSED = {"999900000011": 8, "999900000012": 9}
"""Billing accounts, and the day of October that their last use was on."""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """METHOD §8 A; a workload that stopped reporting, one that never did, a GPU nobody prices.

    And two accounts that the config calls closed; the bill of one goes on.
    """
    world = migrated(World(tmp_path_factory.mktemp("clinic")))
    world.run("b1", "trn1.32xlarge", "2025-10-01T00:00:00", 24, 16, 4, workload="bard")
    late = {"workload": "bard", "run": "b1"}
    world.hours("2025-10-09T00:00:00", 5, "trn1.32xlarge", 16, late)
    mute = {"workload": "mute", "run": "m1"}
    world.hours("2025-10-09T00:00:00", 5, "p5.48xlarge", 60, mute, RegionId="eu-south-2")
    hosted = {"x_UsageType": "USE1-Train:ml.g5.48xlarge", "tags": mute}
    world.charge("2025-10-09T00:00:00", 20, ConsumedQuantity=1, ConsumedUnit="Hours", **hosted)
    world.hours("2025-10-01T00:00:00", 5, "trn1.32xlarge", 16, {"workload": "pods"})
    world.sample("2025-10-01T01:00:00", "p1", 0.5, workload="pods")
    for account, day in CLOSED.items():
        world.charge(f"2025-10-0{day}T00:00:00", 1, BillingAccountId=account)
        taxed = {"BillingAccountId": account, "ChargeCategory": "Tax"}
        world.charge("2025-10-30T00:00:00", 1, **taxed)
    closed = [{"id": account, "closed": "2025-10-08"} for account in CLOSED]
    return world.build(accounts=closed).settings


@pytest.fixture(scope="module")
def found(settings: Settings) -> list[Finding]:
    return list(examine(settings))


def of(found: list[Finding], check: str) -> dict[str, Finding]:
    return {one.about: one for one in found if one.check == check}


def test_tags_that_spend_carries_are_not_asked_for(found: list[Finding]) -> None:
    tags = of(found, "tags")
    run = tags['tags.run = "run"']
    assert (run.state, run.found.rpartition(", ")[2]) == ("ok", "last 2025-10-09")
    assert len(tags) == 2


@pytest.mark.parametrize(
    ("machine", "state", "words"),
    [
        (
            "p4d.24xlarge",
            "warning",
            "on no spend since 2025-10-01, although machines with accelerators are billed until "
            "2025-10-25",
        ),
        ("m5.large", "ok", "on spend since 2025-10-01, last 2025-10-01"),
    ],
)
def test_a_tag_is_missed_where_accelerators_run_without_it(
    tmp_path: Path, machine: str, state: str, words: str
) -> None:
    world = World(tmp_path)
    tags = {"workload": "atlas-7b", "run": "r1"}
    world.hours("2025-10-01T10:00:00", 1, "p4d.24xlarge", 30, tags)
    world.hours("2025-10-25T10:00:00", 1, machine, 30, {})
    marts = published(world.pulled(), "spend_daily", "runs")
    told = list(examine(marts.settings, [check_cost_allocation_tags]))
    found = of(told, "tags")['tags.run = "run"']
    assert (found.state, found.found) == (state, words)


def test_each_workload_s_progress_is_held_against_its_bill(found: list[Finding]) -> None:
    metrics = {name: (one.state, one.found) for name, one in of(found, "metrics").items()}
    assert metrics == {
        "workload atlas-7b": ("ok", "last reported 2025-09-16"),
        "workload bard": ("warning", "last reported 2025-10-02, but was billed for 7 more days"),
        "workload mute": (
            "warning",
            "on the bill until 2025-10-09, but no run reports progress: its unit cost is unknown",
        ),
        "workload pods": ("ok", "last reported 2025-10-01"),
    }


def test_epochs_without_a_cost_may_be_a_container_s(
    found: list[Finding], settings: Settings
) -> None:
    """Of those only a report with split cost allocation tells; where there is one, it is off."""
    about = "pods, 1 run in progress"
    said = "epochs and no cost: their workload has hours without a run"
    assert of(found, "runs")[about].found == f"p1: {said}"
    assert of(found, "runs")[about].remedy.endswith(
        'add a CUR 2.0 with split cost allocation (kind = "cur2")'
    )
    report = settings.model_copy(
        update={"sources": (SourceEntry(kind="cur2", location="r"),), "cost": Cost(source="cur2")}
    )
    off = of(list(examine(report)), "runs")[about]
    assert off.remedy.endswith("turn on split cost allocation in the export")


def test_a_gpu_without_a_fresh_price_is_named(found: list[Finding], settings: Settings) -> None:
    priced = of(found, "prices")
    assert "1 of 3 types and regions priced" in priced["GPUs"].found
    for lacking in ("p5.48xlarge in eu-south-2", "ml.g5.48xlarge in us-east-1"):
        assert "no on-demand price" in priced[lacking].found
    with SEED_FILE.open(encoding="utf-8") as file:
        seen = max(
            date.fromisoformat(row["observed_on"])
            for row in csv.DictReader(file)
            if (row["instance_type"], row["region"]) == ("p4d.24xlarge", "us-east-1")
            and row["purchase_option"] == "on_demand"
        )
    known, stale = (
        of(list(examine(settings.model_copy(update={"as_of": seen + age}))), "prices")
        for age in (timedelta(44), timedelta(45))
    )
    assert "p4d.24xlarge in us-east-1" not in known
    one = stale["p4d.24xlarge in us-east-1"]
    assert one.found.endswith(f"price of its sources is of {seen}, 45 days ago")
    assert 'kind = "price_list" (free)' in one.remedy


def test_a_name_that_nothing_has_is_told_with_the_nearest(settings: Settings) -> None:
    """Each misspelt name once, with every table that has it; what is there is not spoken of."""
    block = CapacityBlock(
        instance_type="p5.48xlrage",
        instances=1,
        start=datetime(2025, 10, 1, tzinfo=UTC),
        end=datetime(2025, 10, 2, tzinfo=UTC),
        fee=Decimal(1),
    )
    paid = {"date": date(2025, 8, 1), "kind": "partner", "amount": Decimal(1)}
    by_node_name = {"instance_types": {"trn1-*": "trn1.32xlarge"}}
    slurm = SourceEntry(kind="slurm", location="slurm", **by_node_name)
    tables = {
        "workloads": (WorkloadEntry(name="atlas-7"), WorkloadEntry(name="bard")),
        "investments": (Investment(workload="atlas-7", **paid), Investment(**paid)),
        "runs": (RunEntry(run="b1", workload="bard"), RunEntry(run="b-1")),
        "capacity_blocks": (block,),
        "sources": (slurm,),
    }
    named = of(list(examine(settings.model_copy(update=tables))), "names")
    assert {about: (one.found, one.remedy) for about, one in named.items()} == {
        'workload "atlas-7"': (
            "[[workloads]], [[investments]] names it, and no spend and no progress has it",
            'did you mean "atlas-7b"?',
        ),
        'run "b-1"': (
            "[[runs]] names it, and no spend and no progress has it",
            'did you mean "b1"?',
        ),
        'instance type "p5.48xlrage"': (
            "[[capacity_blocks]] names it, and the catalogue of accelerators does not have it",
            'did you mean "p5.48xlarge"?',
        ),
    }


def test_training_after_its_ends_is_told_for_no_upkeep_is_deducted_then(
    settings: Settings,
) -> None:
    """Both trained until 9 October."""
    early, right = (date(2025, 10, day) for day in (8, 9))
    entries = (WorkloadEntry(name="bard", ends=early), WorkloadEntry(name="mute", ends=right))
    told = of(list(examine(settings.model_copy(update={"workloads": entries}))), "ends")
    assert {about: (one.state, one.found, one.remedy) for about, one in told.items()} == {
        "workload bard": (
            "warning",
            "it trained on 2025-10-09, but its ends is 2025-10-08: no upkeep without until is "
            "deducted after that day",
            "write the last day on which it will be trained as its ends in [[workloads]]",
        )
    }


def test_a_closed_account_whose_bill_goes_on_is_told(found: list[Finding]) -> None:
    """The tax of October contradicts nothing: it may come after the last day of use."""
    (about, one), *others = of(found, "accounts").items()
    assert (about, one.state, others) == ("billing account 999900000012", "warning", [])
    assert one.found == "closed = 2025-10-08 is ignored: its bill has usage until 2025-10-09"
    assert one.remedy == (
        "take it out of [[accounts]] or, if its bill has ended, set closed = 2025-10-09"
    )


def test_json_has_every_finding_and_blocking_is_exit_1(settings: Settings, tmp_path: Path) -> None:
    config = settings.home / "breakeven.toml"
    config.write_text(
        'as_of = 2025-10-31\n[[sources]]\nkind = "focus"\nlocation = "bill.csv"\n'
        '[[sources]]\nkind = "progress_file"\nlocation = "progress.csv"\n'
    )
    well = CliRunner().invoke(main, ["doctor", "--config", str(config), "--json"])
    told = json.loads(well.stdout)
    assert well.exit_code == 0
    assert {"check", "about", "state", "found", "remedy"} == set(told[0])
    assert {one["state"] for one in told} == {"ok", "warning"}
    bad = tmp_path / "b.toml"
    bad.write_text('[[sources]]\nkind = "focsu"\n')
    ill = CliRunner().invoke(main, ["doctor", "--config", str(bad)])
    assert ill.exit_code == 1
    assert ill.stdout.startswith(
        "blocks   config: breakeven.toml: [[sources]]: unknown kind: focsu"
    )
    assert ill.stdout.endswith("-> did you mean focus?\n")
    (tmp_path / "c.toml").write_text("colour = 1\n")
    worse = CliRunner().invoke(main, ["doctor", "--config", str(tmp_path / "c.toml"), "--json"])
    assert worse.exit_code == 1
    (one,) = json.loads(worse.stdout)
    assert (one["check"], one["state"]) == ("config", "blocks")
    assert "unknown key: colour" in one["found"]
