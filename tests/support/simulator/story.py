"""Eighteen months of a company, drawn from a seed: every kind of workload METHOD tells apart."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tests.support.simulator import commitments, services
from tests.support.simulator.company import P4D, P5, TRN1, Company, Price, Run
from tests.support.simulator.training import trains

BEGIN = date(2025, 1, 1)
PLAN = "arn:aws:savingsplans::999900000001:savingsplan/one"


def company(seed: int) -> Company:
    """The same company for the same seed, on every machine."""
    luck = random.Random(seed)
    found = Company(prices=list(_prices(luck)))
    found.blocks = {block.name: block for block in commitments.blocks(luck)}
    for run in _runs(luck):
        trains(found, run)
    services.bills(found, luck)
    commitments.commits(found, luck)
    found.config = _config(luck) | {
        "capacity_blocks": [*map(commitments.configured, found.blocks.values())]
    }
    return found


def _prices(luck: random.Random) -> Iterator[Price]:
    def price(low: float, high: float) -> Decimal:
        return Decimal(str(round(luck.uniform(low, high), 6)))

    old, new = price(30, 34), price(20, 24)
    cuts = [(P4D, BEGIN, old), (P4D, date(2025, 6, 1), new), (P4D, date(2025, 12, 10), new - 2)]
    cuts += [(P5, BEGIN, price(90, 99)), (P5, date(2025, 6, 1), price(50, 58))]
    cuts += [(TRN1, BEGIN, price(20, 22)), (TRN1, date(2026, 2, 1), price(18, 20))]
    for machine, since, amount in cuts:
        yield Price(machine, "on_demand", since, since, amount)
    # seen first with another amount: the later observation of the same change is the right one
    yield Price(P4D, "on_demand", date(2025, 6, 1), date(2025, 6, 23), new - 1)
    for machine, seen in ((P4D, date(2026, 6, 20)), (TRN1, date(2026, 6, 20))):
        last = [amount for name, _, amount in cuts if name == machine][-1]
        began = [since for name, since, _ in cuts if name == machine][-1]
        yield Price(machine, "on_demand", began, seen, last)
    for month in range(14):
        day = date(2025 + month // 12, month % 12 + 1, 1)
        yield Price(P4D, "spot", day, day, price(9, 14))
        yield Price(TRN1, "spot", day, day, price(7, 9))
    for month in (2, 3, 4, 9, 11):
        day = date(2025, month, 20)
        yield Price(P5, "capacity_block", day, day, price(28, 36))


def _runs(luck: random.Random) -> Iterator[Run]:
    yield from _alpha(luck)
    yield from _bravo(luck)
    yield from _charlie(luck)
    yield from _india(luck)
    yield from _mike(luck)
    yield from _november(luck)
    for workload, gpu, trn in (
        ("delta", {"recipe": "qlora"}, {"recipe": "full"}),
        ("kilo", {"samples_per_epoch": 1_000_000}, {"samples_per_epoch": 1_009_000}),
    ):
        yield from _pair(luck, workload, gpu, trn)
    yield _run(
        luck, "kilo", "k-t9", TRN1, date(2025, 11, 20), told={"samples_per_epoch": 1_011_000}
    )
    yield _run(luck, "echo", "e-g1", P4D, date(2025, 2, 1))
    yield _run(luck, "echo", "e-t1", TRN1, date(2025, 9, 1))
    for workload in ("foxtrot", "juliet"):
        yield _run(luck, workload, f"{workload[0]}-g1", P4D, date(2025, 3, 3))
    yield from _pair(luck, "oscar", {}, {}, in_tokens=True)
    for workload in ("golf", "hotel"):
        yield from _pair(luck, workload, {}, {}, loss=None)
    for further in (_papa, _quebec, _romeo, _sierra, _tango):
        yield from further(luck)


def _run(
    luck: random.Random,
    workload: str,
    name: str,
    machine: str,
    day: date,
    **further: Any,  # noqa: ANN401 - fields of a run
) -> Run:
    """A run of some days, cheaper per epoch on Trainium by luck."""
    start = datetime.combine(day, datetime.min.time()) + timedelta(minutes=luck.randrange(1440))
    hours = luck.randrange(30, 90)
    pace = {P4D: 0.1, P5: 0.2, TRN1: 0.125}[machine]
    epochs = Decimal(str(round(hours * pace * luck.uniform(0.9, 1.1), 3)))
    given: dict[str, Any] = {"hours": hours, "epochs": epochs, **further}
    told = tuple(given.pop("told", {}).items())
    return Run(workload, name, machine, start, told=told, **given)


def _pair(
    luck: random.Random,
    workload: str,
    gpu: dict[str, Any],
    trn: dict[str, Any],
    **further: Any,  # noqa: ANN401 - fields of a run
) -> Iterator[Run]:
    letter = workload[0]
    for number, month in enumerate((2, 4, 5)):
        day = date(2025, month, 3)
        yield _run(luck, workload, f"{letter}-g{number}", P4D, day, told=gpu, **further)
    for number, month in enumerate((9, 12)):
        day = date(2025, month, 5)
        yield _run(luck, workload, f"{letter}-t{number}", TRN1, day, told=trn, **further)


def _alpha(luck: random.Random) -> Iterator[Run]:
    """Discounts, a Savings Plan, restarts, a resume, worse loss, porting, one still running."""
    cut = {"discount": Decimal("0.13"), "loss": 1.5}
    yield _run(luck, "alpha", "a-g1", P4D, date(2025, 1, 10), falls=((3, Decimal("0.5")),), **cut)
    yield _run(luck, "alpha", "a-g2", P4D, date(2025, 3, 10), instances=2, **cut)
    yield _run(luck, "alpha", "a-fail", P4D, date(2025, 3, 20), **cut | {"epochs": Decimal("0.4")})
    yield _run(luck, "alpha", "a-g3", P4D, date(2025, 10, 6), **cut)
    yield _run(luck, "alpha", "a-port", TRN1, date(2025, 7, 7), told={"purpose": "port"})
    for number in range(10):
        day = date(2025, 8, 4) + timedelta(days=31 * number + luck.randrange(5))
        plan: dict[str, Any] = {"options": ("committed", "on_demand"), "plan": PLAN}
        falls = tuple((luck.randrange(2, 4), Decimal("0.25")) for _ in range(number % 2))
        worse = 1.62 if number == 6 else 1.5
        yield _run(luck, "alpha", f"a-t{number}", TRN1, day, falls=falls, **plan | {"loss": worse})
    yield _run(luck, "alpha", "a-twin", TRN1, date(2025, 8, 6), tagged=False)
    yield from _resumed(luck)
    late = date(2026, 6, 24)
    yield _run(luck, "alpha", "a-live", TRN1, late, hours=140, epochs=Decimal(11))


def _resumed(luck: random.Random) -> Iterator[Run]:
    first = _run(luck, "alpha", "a-r1", TRN1, date(2026, 3, 2), hours=40, epochs=Decimal("3.5"))
    yield first
    told = {"resumed_from": "a-r1"}
    again = {"hours": 48, "first": Decimal("3.25"), "epochs": Decimal("7.5")}
    yield _run(luck, "alpha", "a-r2", TRN1, date(2026, 3, 9), told=told, **again)


def _bravo(luck: random.Random) -> Iterator[Run]:
    """Two GPU platforms, Spot beside on-demand; Trainium is slow: it loses."""
    mixed = {"options": ("spot", "on_demand")}
    yield _run(luck, "bravo", "b-g1", P4D, date(2025, 2, 2), **mixed)
    yield _run(luck, "bravo", "b-g2", P5, date(2025, 3, 2))
    yield _run(luck, "bravo", "b-g3", P5, date(2025, 5, 28))
    for number in range(6):
        day = date(2025, 8, 20) + timedelta(days=23 * number)
        slow = {"hours": luck.randrange(80, 120), "epochs": Decimal("3.75")}
        yield _run(luck, "bravo", f"b-t{number}", TRN1, day, **slow)


def _charlie(luck: random.Random) -> Iterator[Run]:
    """GPU on Spot, whose prices stop; two Trainium runs before the second GPU run has ended."""
    spot = {"options": ("spot",), "loss": 2.0}
    yield _run(luck, "charlie", "c-g1", P4D, date(2025, 1, 20), **spot)
    yield _run(luck, "charlie", "c-t0", TRN1, date(2025, 4, 1), loss=2.0)
    yield _run(luck, "charlie", "c-g2", P4D, date(2025, 5, 2), **spot | {"loss": 2.1})
    for number in range(1, 8):
        day = date(2025, 5, 20) + timedelta(days=49 * number)
        yield _run(luck, "charlie", f"c-t{number}", TRN1, day, options=("spot",), loss=2.05)


def _india(luck: random.Random) -> Iterator[Run]:
    """A target loss: epochs after the baseline's median way there earn nothing."""
    for number, month in enumerate((1, 3, 4)):
        yield _run(luck, "india", f"i-g{number}", P4D, date(2025, month, 15), loss=1.4)
    for number, month in enumerate((8, 10, 12)):
        longer = {"hours": 120, "epochs": Decimal(11 + number), "loss": 1.4}
        yield _run(luck, "india", f"i-t{number}", TRN1, date(2025, month, 15), **longer)


def _mike(luck: random.Random) -> Iterator[Run]:
    """Both sides on Capacity Blocks, of which hours are left; then Trainium on demand."""
    for number, hours in enumerate((35, 47)):
        held: dict[str, Any] = {"options": ("capacity_block",), "plan": "eight", "hours": hours}
        yield _run(luck, "mike", f"m-g{number}", P5, date(2025, 3, 31), **held)
    held = {"options": ("capacity_block",), "plan": "four", "hours": 48}
    yield _run(luck, "mike", "m-t0", TRN1, date(2025, 10, 31), **held)
    yield _run(luck, "mike", "m-t1", TRN1, date(2025, 12, 3))


def _november(luck: random.Random) -> Iterator[Run]:
    """GPU under a plan of its own, which the move strands; it still covers one run after that."""
    plan: dict[str, Any] = {"options": ("committed",), "plan": commitments.GPU_PLAN}
    for number, day in enumerate((date(2025, 1, 12), date(2025, 5, 6), date(2025, 11, 3))):
        yield _run(luck, "november", f"n-g{number}", P4D, day, **plan)
    for number, day in enumerate((commitments.MOVED, date(2025, 12, 8), date(2026, 2, 2))):
        yield _run(luck, "november", f"n-t{number}", TRN1, day)


def _papa(luck: random.Random) -> Iterator[Run]:
    """Two GPU platforms, both used often enough; Trainium does more in an hour from run to run."""
    for number in range(3):
        day = date(2025, 1, 8) + timedelta(days=28 * number)
        yield _run(luck, "papa", f"p-g{number}", P4D, day)
        yield _run(luck, "papa", f"p-h{number}", P5, day + timedelta(days=10))
    for number in range(6):
        faster = {"hours": 84 - 8 * number, "epochs": Decimal(5)}
        day = date(2025, 8, 11) + timedelta(days=38 * number)
        yield _run(luck, "papa", f"p-t{number}", TRN1, day, **faster)


def _quebec(luck: random.Random) -> Iterator[Run]:
    """One epoch in four days before the move, then ever more; a GPU run and a benchmark later."""
    for number in range(4):
        day = date(2025, 1, 20) + timedelta(days=35 * number)
        yield _run(luck, "quebec", f"q-g{number}", P4D, day)
    short = {"hours": 6, "epochs": Decimal("0.5"), "step": 1, "told": {"purpose": "benchmark"}}
    yield _run(luck, "quebec", "q-bench", TRN1, date(2025, 6, 3), **short)
    for number in range(14):
        more = {"hours": 40 + 4 * number, "epochs": Decimal(5 + number), "loss": 1.5}
        day = date(2025, 6, 16) + timedelta(days=12 * number)
        yield _run(luck, "quebec", f"q-t{number}", TRN1, day, **more)
    yield _run(luck, "quebec", "q-g4", P4D, date(2025, 10, 8))


def _romeo(luck: random.Random) -> Iterator[Run]:
    """A target that some runs of either side miss; the last one still tries."""
    for number, loss in enumerate((1.4, 1.9, 1.45)):
        day = date(2025, 1, 28) + timedelta(days=44 * number)
        yield _run(luck, "romeo", f"r-g{number}", P4D, day, loss=loss)
    for number, loss in enumerate((1.4, 1.9, 1.5)):
        day = date(2025, 8, 26) + timedelta(days=60 * number)
        yield _run(luck, "romeo", f"r-t{number}", TRN1, day, loss=loss)
    tries = {"hours": 150, "epochs": Decimal(20), "loss": 1.9}
    yield _run(luck, "romeo", "r-live", TRN1, date(2026, 6, 23), **tries)


def _sierra(luck: random.Random) -> Iterator[Run]:
    """Short runs on each side, and nothing has moved."""
    short = {"hours": 5, "epochs": Decimal("0.5"), "step": 1, "told": {"purpose": "benchmark"}}
    for machine in (P4D, TRN1):
        yield _run(luck, "sierra", f"s-{machine[:4]}", machine, date(2026, 4, 14), **short)


def _tango(luck: random.Random) -> Iterator[Run]:
    """A model that was retired: its training and its upkeep end, before the move is paid back."""
    for number in range(3):
        yield _run(luck, "tango", f"u-g{number}", P4D, date(2025, 2 + number, 11))
    for number in range(3):
        yield _run(luck, "tango", f"u-t{number}", TRN1, date(2025, 9 + number, 9))


def _config(luck: random.Random) -> dict[str, Any]:
    def spent(workload: str, day: date, kind: str, **amounts: object) -> dict[str, Any]:
        return {"workload": workload, "date": day, "kind": kind, **amounts}

    return {
        "baseline": {"window_days": 200, "min_runs": 2},
        "workloads": [
            {"name": "hotel", "require_verified": True},
            {"name": "india", "target_loss": 1.6},
            {"name": "lima"},
            {"name": "foxtrot", "ends": date(2025, 9, 30)},
            {"name": "romeo", "target_loss": 1.6},
            {"name": "tango", "ends": date(2025, 12, 5)},
            {"name": "alpha", "ends": date(2026, 6, 30)},
        ],
        "investments": [
            spent("alpha", date(2025, 7, 1), "engineering", days=3, day_rate=luck.randrange(400)),
            spent("alpha", date(2025, 7, 15), "upkeep", amount_per_month=Decimal("37.50")),
            spent("bravo", date(2025, 7, 1), "partner", amount=Decimal(900)),
            spent("bravo", date(2025, 7, 20), "funding", amount=Decimal(-250)),
            spent("charlie", date(2025, 3, 1), "tooling", amount=Decimal(4000)),
            spent("delta", date(2025, 7, 1), "dual_run", amount=Decimal(100)),
            spent("foxtrot", date(2025, 7, 1), "partner", amount=Decimal(750)),
            spent("foxtrot", date(2025, 8, 10), "upkeep", amount_per_month=Decimal(31)),
            spent(
                "alpha",
                date(2025, 8, 1),
                "upkeep",
                amount_per_month=Decimal("12.34"),
                until=date(2025, 9, 15),
            ),
            {"date": date(2025, 8, 20), "kind": "upkeep", "amount_per_month": Decimal("7.77")},
            spent("india", date(2025, 7, 1), "partner", amount=Decimal(100)),
            {"date": date(2025, 6, 15), "kind": "tooling", "amount": Decimal("123.45")},
            spent("papa", date(2025, 7, 2), "partner", amount=Decimal(600)),
            spent("quebec", date(2025, 5, 30), "engineering", days=2, day_rate=Decimal(900)),
            spent("romeo", date(2025, 8, 1), "tooling", amount=Decimal(250)),
            spent("tango", date(2025, 8, 4), "partner", amount=Decimal(20_000)),
            spent("tango", date(2025, 9, 1), "upkeep", amount_per_month=Decimal(60)),
        ],
        "invoices": [{"account": "999900000001", "month": "2025-09", "amount": Decimal(70000)}],
    }
