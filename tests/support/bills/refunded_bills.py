"""Bills with refunds, as each format would write them; every hour of theirs is $16."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb

from models.config.settings import Settings
from models.engine import build
from models.engine.source_lines import bill_lines
from tests.support.bills.cur2_reports import reported
from tests.support.some_marts import SomeMarts
from tests.support.world import Marts, World, one_core, pull_once, write

TRN1, ACCOUNT, OTHER = "trn1.32xlarge", "999900000001", "999900000002"
WEST = "us-west-2"
Line = dict[str, Any]
Form = Callable[[Line], Line]


def owner(run: str, workload: str = "atlas-7b", **more: str) -> dict[str, str]:
    return {"workload": workload, "run": run, **more}


def hours(start: str, count: int, resource: str | None, **said: object) -> Line:
    """Hours of a trn1 at $16; less than none is a refund. `lasts` hours; `billed` in a month."""
    told = {"lasts": abs(count), "billed": start[:7], "account": ACCOUNT, "tags": {}}
    return {"start": datetime.fromisoformat(start), "hours": count, "on": resource, **told, **said}


def refund(start: str, count: int, resource: str | None, **said: object) -> Line:
    return hours(start, -count, resource, **said)


def corrects(said: Line) -> bool:
    return bool(said.get("corrects", said["hours"] < 0))


def kind_of(said: Line) -> str:
    return str(said.get("kind", f"BoxUsage:{said.get('type', TRN1)}"))


def _as_bought(role: str) -> Line:
    """How FOCUS tells that a commitment paid for it, that nobody used it, that it is the fee.

    Some exports have the price without the plan in BilledCost, and take it back in another line.
    """
    return {
        "": {},
        "covered": {"BilledCost": 0, "CommitmentDiscountStatus": "Used"},
        "negated": {"BilledCost": 3 * 32},
        "negation": {"BilledCost": 3 * -16},
        "unused": {"BilledCost": 0, "ListCost": 0, "CommitmentDiscountStatus": "Unused"},
        "fee": {"EffectiveCost": 0, "ListCost": 0, "ChargeCategory": "Purchase"},
        "tax": {"ChargeCategory": "Tax"},
        "adjusted": {"ChargeCategory": "Adjustment", "ChargeClass": ""},
    }[role]


def _as_reported(role: str, cost: int, *, reserved: bool) -> Line:
    """The same in a report's columns; `reserved` is a reserved instance's, else a plan's."""
    plan = {"line_item_line_item_type": "SavingsPlanCoveredUsage",
            "savings_plan_savings_plan_effective_cost": cost,
            "line_item_unblended_cost": 0}  # fmt: skip
    instances = {"line_item_line_item_type": "DiscountedUsage",
                 "reservation_effective_cost": cost, "line_item_unblended_cost": 0}  # fmt: skip
    fee = {"line_item_line_item_type": "SavingsPlanRecurringFee",
           "savings_plan_total_commitment_to_date": cost}  # fmt: skip
    return {
        "": {},
        "covered": instances if reserved else plan,
        "negated": {},
        "negation": {},
        "unused": fee | {"savings_plan_used_commitment": 0, "line_item_unblended_cost": 0},
        "fee": fee | {"savings_plan_used_commitment": cost},
        "tax": {"line_item_line_item_type": "Tax"},
        "adjusted": {},
    }[role]


def focus(release: str) -> Form:
    """A line of FOCUS: where the usage type stands is the release's."""

    def line(said: Line) -> Line:
        world = World(Path())
        cost, end = said["hours"] * 16, said["start"] + timedelta(hours=said["lasts"])
        world.charge(
            said["start"].isoformat(), cost, tags=said["tags"], ResourceId=said["on"],
            BillingPeriodStart=f"{said['billed']}-01", SubAccountId=said["account"],
            BillingAccountId=said.get("payer", ACCOUNT),
            ConsumedQuantity=said["hours"], ConsumedUnit="Hours",
            ChargePeriodEnd=end.isoformat(),
            ChargeClass="Correction" if corrects(said) else "", RegionId=said.get("region", WEST),
            CapacityReservationId=said.get("reserved", ""),
            CapacityReservationStatus=said.get("held", ""),
            CommitmentDiscountId=said.get("plan", said.get("instances", "")),
            **{"x_UsageType" if release == "1.0" else "SkuMeter": kind_of(said)},
        )  # fmt: skip
        world.charges[0] |= _as_bought(said.get("role", ""))
        if "host" in said:
            of_pod = {"SkuMeter": f"EKSPod-EC2:{TRN1}", "x_ParentResourceId": said["host"]}
            world.charges[0] |= of_pod | {"x_SplitCost": cost}
        return {"Tags": ""} | world.charges[0]

    return line


def cur2(said: Line) -> Line:
    """A line of a report, where hours that are taken back are told as hours."""
    end = said["start"] + timedelta(hours=said["lasts"])
    kind = "Refund" if corrects(said) else "Usage"
    cost, instances = said["hours"] * 16, said.get("instances", "")
    line = reported(
        said["start"].isoformat(), kind, cost, tags=said["tags"], pricing_unit="Hrs",
        bill_billing_period_start_date=f"{said['billed']}-01T00:00:00Z",
        bill_payer_account_id=said.get("payer", ACCOUNT),
        line_item_usage_account_id=said["account"], line_item_resource_id=said["on"],
        line_item_usage_type=kind_of(said), line_item_usage_amount=abs(said["hours"]),
        line_item_usage_end_date=f"{end:%Y-%m-%dT%H:%M:%SZ}",
        product_region_code=said.get("region", WEST),
        capacity_reservation_capacity_reservation_arn=said.get("reserved", ""),
        capacity_reservation_capacity_reservation_status=said.get("held", ""),
        savings_plan_savings_plan_a_r_n=said.get("plan", ""),
        reservation_reservation_a_r_n=instances,
    )  # fmt: skip
    return line | _as_reported(said.get("role", ""), cost, reserved=bool(instances))


FORMS = {"focus-1-0": focus("1.0"), "focus-1-2": focus("1.2"), "cur2": cur2}


def configured(folder: Path, form: str = "focus-1-2", **config: object) -> Settings:
    """Of the bill in a folder."""
    source = form.partition("-")[0]
    return World(folder).settings(
        sources=[{"kind": source, "location": "bill"}],
        cost={"source": source},
        tags={"extra": ["purpose", "recipe", "team"]},
        **config,
    )


def deliver(
    folder: Path,
    story: list[Line],
    form: str = "focus-1-2",
    *,
    typed: bool = False,
    **config: object,
) -> Settings:
    """The bill of each month in a folder of its own, or where a line says, ingested.

    `typed`: as Parquet, with the times of charges as such.
    """
    parts: defaultdict[str, list[Line]] = defaultdict(list)
    for said in story:
        part = said.get("folder", f"BILLING_PERIOD={said['billed']}")
        parts[part].append(FORMS[form](said))
    for part, rows in parts.items():
        (folder / "bill" / part).mkdir(parents=True, exist_ok=True)
        bill = folder / "bill" / part / "bill.csv"
        write(bill, rows)
        if typed:
            _as_parquet(bill)
    settings = configured(folder, form, **config)
    pull_once(settings)
    return settings


def _as_parquet(bill: Path) -> None:
    """Writes a bill anew as AWS delivers it by default."""
    times = ("ChargePeriodStart", "ChargePeriodEnd")
    typed = ", ".join(f"{name}::TIMESTAMPTZ::TIMESTAMP AS {name}" for name in times)
    target = bill.with_suffix(".parquet")
    with duckdb.connect() as con:
        con.execute("SET TimeZone = 'UTC'")
        lines = f"SELECT * REPLACE ({typed}) FROM read_csv('{bill}', all_varchar = true)"
        con.execute(f"COPY ({lines}) TO '{target}'")
    bill.unlink()


def spent(marts: Marts | SomeMarts, where: str = "true") -> list[tuple[object, ...]]:
    """Billing month, bucket, day, run and hours, each of which costs $16."""
    rows = marts.rows(
        "SELECT billing_period, attribution, date::VARCHAR, run, sum(instance_hours) AS hours, "
        "sum(effective_cost) AS cost, sum(billed_cost) AS billed, sum(list_cost) AS list "
        f"FROM spend_daily WHERE {where} GROUP BY ALL HAVING cost != 0 OR hours != 0 ORDER BY ALL"
    )
    for row in rows:
        assert row["cost"] == row["billed"] == row["list"] == 16 * row["hours"], row
    return [tuple(row.values())[:5] for row in rows]


def behind(settings: Settings, where: str) -> dict[str, tuple[int, Decimal]]:
    """How many lines stand behind each run of the rows of `where`, and their dollars.

    Behind lines of no run the account is named with the bucket.
    """
    with one_core(), bill_lines.bill_lines(settings, where, {}, "effective") as lines:
        found = lines.first()
    assert (found.number, found.spread, len(found.rows)) == (found.lines, 0, found.count)
    costs: defaultdict[str, list[Decimal]] = defaultdict(list)
    for row in found.rows:
        nobody = f"{row['attribution']} {row['account'][-3:]}"
        costs[row["run"] or nobody].append(row["effective_cost"])
    return {name: (len(each), sum(each, Decimal(0))) for name, each in costs.items()}


def built(settings: Settings) -> build.Built:
    with one_core():
        return build.build(settings)
