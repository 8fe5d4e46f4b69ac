"""A company of several teams on one bill, whose names and sums tell them apart."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tests.support.delivered_allocations import deliver, held
from tests.support.world import World

TEAMS = {"atlas-7b": "nlp", "atlas-vit": "vision", "quasar-13b": "nlp", "zircon-moe": "vision"}
RATES = ("311.37", "401.53", "523.19", "617.71")
MIXED = "quasar-13b"
"""A workload some of whose hours bear no team."""
OTHER = "999900000002"
RULED = "zr-ruled-5"
"""A run that only the config names."""
CONFIG: dict[str, Any] = {
    "tags": {"extra": ["team"]},
    "workloads": [
        {"name": name, "target_loss": 1.5, "tokens_per_step": 4096, "samples_per_step": 8}
        for name in TEAMS
    ],
    "runs": [{"run": RULED, "workload": "zircon-moe", "recipe": "r7"}],
    "tag_rules": [{"match": {"team": "vision-labs"}, "workload": "zircon-moe", "run": RULED}],
    "investments": [
        {"workload": name, "date": "2025-08-15", "kind": "engineering", "days": 3 + place,
         "day_rate": Decimal(RATES[place])}
        for place, name in enumerate(TEAMS)
    ] + [{"date": "2025-08-20", "kind": "tooling", "amount": Decimal("4817.29")}],
    "invoices": [{"account": "999900000001", "month": "2025-09", "amount": Decimal("91234.56")}],
}  # fmt: skip


def company(world: World) -> World:
    """Each workload has two GPU and two Trainium runs; besides are costs that are the company's."""
    world.config |= CONFIG
    for place, (name, team) in enumerate(TEAMS.items()):
        short, rate = name.replace("-", ""), Decimal("1.13") ** place
        for run, machine, day, hours, dollars, epochs in (
            ("gpu1", "p4d.24xlarge", "2025-05-02", "101.3", "25.17", 10),
            ("gpu2", "p4d.24xlarge", "2025-05-12", "110.7", "25.17", 10),
            ("trn1", "trn1.32xlarge", "2025-09-02", "25.9", "16.23", 4),
            ("trn2", "trn1.32xlarge", "2025-09-08", "32.1", "16.23", 5),
        ):
            world.run(
                f"{short}-{run}", machine, f"{day}T00:00:00", hours, Decimal(dollars) * rate,
                epochs, workload=name,
            )  # fmt: skip
        for line in world.charges:
            _bear(line, name, team)
        tags = {"workload": name, "team": team}
        world.charge("2025-09-03T00:00:00", Decimal("7.77") * rate, tags=tags)
        world.hours("2025-09-20T00:00:00", 3, "trn1.32xlarge", 17 * rate, tags)
        credit = Decimal("-5.55") * rate
        world.charge("2025-09-05T00:00:00", credit, ChargeCategory="Credit", tags=tags)
    _of_the_company(world)
    _shared_node(world)
    return world


def _bear(line: dict[str, Any], name: str, team: str) -> None:
    """Puts the team's tag on the hours of a workload; of the mixed one on those of GPU only."""
    tags = f'"workload": "{name}"'
    whole = name != MIXED or "p4d" in line.get("x_UsageType", "")
    if tags in line.get("Tags", "") and '"team"' not in line["Tags"] and whole:
        line["Tags"] = line["Tags"].replace(tags, f'{tags}, "team": "{team}"')


def _of_the_company(world: World) -> None:
    """Adds spend that names nobody, idle commitment, tax, support, and a second account."""
    world.hours("2025-09-10T00:00:00", "11.3", "trn1.32xlarge", "18.91", {})
    world.hours("2025-09-11T00:00:00", "7.9", "p5.48xlarge", "60.03", {}, SubAccountId=OTHER)
    world.charge("2025-09-30T00:00:00", "813.31", ChargeCategory="Tax")
    world.charge("2025-09-30T00:00:00", "1201.47", ServiceName="AWS Support (Business)")
    world.charge("2025-09-12T00:00:00", "639.83", SubAccountId=OTHER, x_UsageType="Requests-Tier1")
    world.hours(
        "2025-09-14T00:00:00", 9, "trn1.32xlarge", "12.49", {}, CommitmentDiscountStatus="Unused",
        CommitmentDiscountId="arn:aws:savingsplans::999900000001:savingsplan/sp-7f7f",
    )  # fmt: skip
    # a run of a similar name, which only one side of another workload knows
    world.hours("2025-09-21T00:00:00", 4, "trn1.32xlarge", "19.07",
                {"workload": "atlas-7b", "run": "zr-lost-9", "team": "nlp"})  # fmt: skip
    world.sample("2025-09-21T02:00:00", "zr_lost_9", 1, workload="team-x-atlas-7b")
    world.charge("2025-10-30T00:00:00", "1.00")


def _shared_node(world: World) -> None:
    """Adds a node of a cluster that jobs of three workloads hold for a part of a day."""
    for hour in range(24):
        tags = {"aws:eks:cluster-name": "hpc"}
        at = f"2025-09-24T{hour:02}:00:00"
        world.hours(at, 1, "trn1.32xlarge", "17.37", tags, ResourceId="i-shared")
    about = {"resource": "i-shared", "accelerators": 16}
    jobs = (
        ("atlas-7b", "01", "05", "jb-at-1"),
        ("zircon-moe", "07", "18", "jb-zi-2"),
        (MIXED, "19", "22", "jb-qu-3"),
    )
    deliver(
        world.settings().data,
        [
            held(f"2025-09-24T{first}:00:00", f"2025-09-24T{last}:00:00", workload=name,
                 run=f"{name.replace('-', '')}-trn2", job=job, queued_at="2025-09-24T00:13:00Z",
                 labels=None if name == MIXED else f'{{"team": "{TEAMS[name]}"}}', **about)
            for name, first, last, job in jobs
        ],
    )  # fmt: skip
