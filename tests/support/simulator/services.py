"""Everything on the bill that is not a run: shared, idle, untagged, tax, credits, corrections."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

from tests.support.simulator.company import AS_OF, OTHER, P4D, TRN1, Charge, Company, dollars

PLAN = "arn:aws:savingsplans::999900000001:savingsplan/one"
MONTHS = [date(2025 + n // 12, n % 12 + 1, 1) for n in range(18)]
NIL = Decimal(0)


def bills(company: Company, luck: random.Random) -> None:
    """Adds them all."""
    company.charges.extend(_monthly(luck))
    company.charges.extend(_daily(luck))
    company.charges.extend(_plan(luck))
    company.charges.extend(_boxes(company, luck))
    company.charges.extend(_corrections(company))
    company.charges.extend(_cheaper(company))


def _flat(day: date, bucket: str, amount: Decimal, **further: object) -> Charge:
    return Charge(day, bucket, amount, amount, amount, **further)  # type: ignore[arg-type]


def _some(luck: random.Random, low: float, high: float) -> Decimal:
    return dollars(str(round(luck.uniform(low, high), 7)))


def _monthly(luck: random.Random) -> Iterator[Charge]:
    for first in MONTHS:
        yield _flat(first, "tax", _some(luck, 50, 90), account=luck.choice([OTHER, ""]) or OTHER)
        yield _flat(first, "support", _some(luck, 100, 120))
        yield _flat(first, "credit", -_some(luck, 100, 900), workload=luck.choice(["alpha", None]))
        yield _flat(first, "refund", -_some(luck, 1, 9))
        yield Charge(first, "purchase", NIL, _some(luck, 900, 1000), NIL, commitment=PLAN)


def _daily(luck: random.Random) -> Iterator[Charge]:
    """Storage of two workloads, traffic, other services; one of them to the very last day."""
    day = MONTHS[0]
    while day <= AS_OF:
        yield _flat(day, "other", _some(luck, 1, 2), account=OTHER)
        if day.day % 3 == 0:
            for workload in ("alpha", "charlie"):
                amount = _some(luck, 3, 5)
                yield _flat(day, "shared", amount, workload=workload, component="storage")
            yield _flat(day, "shared", _some(luck, 1, 2), workload="bravo", component="network")
        day += timedelta(days=1)


def _plan(luck: random.Random) -> Iterator[Charge]:
    """Unused hours of the plan, from the month in which it first covers a run."""
    for first in MONTHS[7:]:
        for offset in range(0, 28, 4):
            yield Charge(
                first + timedelta(days=offset),
                "idle_commitment",
                _some(luck, 4, 6),
                NIL,
                NIL,
                component="accelerator",
                machine=TRN1,
                option="committed",
                commitment=PLAN,
            )


def _boxes(company: Company, luck: random.Random) -> Iterator[Charge]:
    """Accelerators without a run: beside runs of that day, alone, and nobody's."""
    ran = [c.day for c in company.charges if c.run == "a-t0"]
    price = company.price(TRN1, "on_demand", ran[0]) or NIL
    for day, bucket, workload, machine in (
        (ran[0], "shared", "alpha", TRN1),
        (ran[1], "shared", "alpha", TRN1),
        (date(2025, 11, 20), "shared", "alpha", TRN1),
        (date(2025, 2, 20), "shared", "alpha", P4D),
        (date(2025, 11, 21), "untagged", None, TRN1),
        (date(2025, 6, 21), "untagged", None, P4D),
    ):
        hours = Decimal(luck.randrange(2, 24))
        amount = dollars(hours * price)
        yield _flat(
            day, bucket, amount,
            workload=workload, component="accelerator", machine=machine, hours=hours,
        )  # fmt: skip


def _cheaper(company: Company) -> Iterator[Charge]:
    """Hours of a team that tags nothing: by then everybody pays 0.7 of the list price."""
    for number in range(14):
        day = date(2025, 11, 24) + timedelta(days=number)
        listed = dollars(24 * (company.price(P4D, "on_demand", day) or NIL))
        paid = dollars(listed * 7 / 10)
        yield Charge(
            day,
            "untagged",
            paid,
            paid,
            listed,
            component="accelerator",
            machine=P4D,
            hours=Decimal(24),
        )


def _corrections(company: Company) -> Iterator[Charge]:
    """One run of each side is billed too much; the next month's bill gives it back, by name."""
    for name in ("a-g2", "b-t1"):
        wrong = next(c for c in company.charges if c.run == name)
        back = dollars(-wrong.effective / 10)
        yield replace(
            wrong,
            effective=back,
            billed=back,
            listed=dollars(-wrong.listed / 10),
            hours=NIL,
            month=f"{(wrong.day.replace(day=28) + timedelta(days=4)):%Y-%m}",
            corrects=True,
        )
