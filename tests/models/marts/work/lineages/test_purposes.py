"""METHOD §6: what a run was for is its own, whatever it resumes; only its progress is shared."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from tests.support.some_marts import some_marts
from tests.support.world import Marts, World

TRN1, P4D = "trn1.32xlarge", "p4d.24xlarge"


@pytest.fixture(scope="module")
def marts(tmp_path_factory: pytest.TempPathFactory) -> Marts:
    """An epoch costs $175.875 on GPU in September (METHOD §8 A); each workload mixes purposes."""
    world = World(tmp_path_factory.mktemp("purposes"))
    for workload in ("ported", "checked", "guessed", "astray"):
        for run, start, hours in (("g1", "2025-05-02", 100), ("g2", "2025-05-12", 110)):
            world.run(run, P4D, f"{start}T00:00:00", hours, 25, 10, workload=workload)
    _resumed(world, "ported", ("po", "2025-08-20", 10, 0, 1), ("pp", "2025-09-20", 100, 1, 5))
    _said(world, "po", purpose="port", recipe="trial")
    _resumed(world, "checked", ("cp", "2025-09-02", 25, 0, 4), ("cv", "2025-09-20", 10, 4, 5))
    _said(world, "cv", purpose="validation", loss=9.0)
    _gpu_check(world)
    _resumed(world, "guessed", ("gx", "2025-09-02", 25, 0, 4), ("gp", "2025-09-10", 10, 4, 5))
    _resumed(world, "astray", ("at", "2025-09-02", 25, 0, 4))
    _resumed(world, "astray", ("ax", "2025-08-20", 100, 0, 2))
    for charge in world.charges:
        if '"run": "gx"' in charge["Tags"] or '"run": "ax"' in charge["Tags"]:
            charge["Tags"] = charge["Tags"].replace("{", '{"purpose": "Prod", ')
    world.hours("2025-08-28T00:00:00", 1, TRN1, 7, {"workload": "astray"})
    world.charge("2025-09-01T00:00:00", 6, tags={"workload": "ported"}, ServiceName="Amazon S3")
    world.hours("2025-09-10T00:00:00", 1, TRN1, 7, {"workload": "ported"})
    world.charge("2025-10-30T00:00:00", "1.00", x_UsageType="Requests-Tier1")
    return some_marts(
        world.pulled(tags={"extra": ["purpose", "recipe", "team"]}),
        "baselines",
        "break_even",
        "cost_per_epoch",
        "monthly_summary",
        "runs",
        "savings_daily",
    )


def _resumed(world: World, workload: str, *runs: tuple[str, str, int, int, int]) -> None:
    """Trainium runs at $16 an hour, each resuming the one before."""
    parent = None
    for run, start, hours, begin, end in runs:
        named = {"workload": workload, "resumed_from": parent}
        world.run(run, TRN1, f"{start}T00:00:00", hours, 16, end, **named)
        world.samples[-2]["epoch"] = begin
        parent = run


def _said(world: World, run: str, **columns: object) -> None:
    for sample in world.samples:
        if sample["run"] == run:
            sample.update(columns)


def _gpu_check(world: World) -> None:
    """A dear validation on GPU that goes on from a baseline run."""
    world.run("gv", P4D, "2025-06-01T00:00:00", 24, 50, 12, workload="checked", loss=9.0)
    world.samples[-2]["epoch"] = 10
    _said(world, "gv", purpose="validation", resumed_from="g1")


def standing(marts: Marts, workload: str) -> tuple[Any, ...]:
    row = marts.standing(workload)
    names = ("status", "cumulative_gross_saving", "cumulative_investment", "cumulative_net")
    return tuple(row[name] for name in names)


def test_production_that_resumes_a_port_run_loses_on_its_own(marts: Marts) -> None:
    """4 × 175.875 − 1,600 − 6 of storage; the port run's $160 is investment, its epoch no gain.

    So are the $7 of an untagged box ten days before the cutover.
    """
    gross = Decimal("-902.5")
    assert standing(marts, "ported") == ("losing", gross, Decimal(167), gross - 167)


def test_a_validation_that_resumes_production_is_investment_and_no_saving(marts: Marts) -> None:
    """4 × 175.875 − 400; the $160 of the validation run count once, on Trainium as on GPU."""
    paid = Decimal(160 + 1200)
    gross = Decimal("303.5")
    assert standing(marts, "checked") == ("recovering", gross, paid, gross - paid)
    run = marts.row("SELECT final_loss, parity, credited_epochs FROM runs WHERE run = 'cp'")
    assert run == {"final_loss": 1.5, "parity": "parity", "credited_epochs": Decimal(4)}
    run = marts.row("SELECT cost, epochs, parity, credited_epochs FROM runs WHERE run = 'cv'")
    assert tuple(run.values()) == (Decimal(160), Decimal(1), None, Decimal(0))


def test_a_validation_on_gpu_is_no_part_of_the_baseline_it_resumes(marts: Marts) -> None:
    day = "SELECT measured, repriced, runs FROM baselines WHERE workload = 'checked' AND date = ?"
    assert tuple(marts.row(day, date(2025, 9, 2)).values()) == (
        Decimal("262.5"),
        Decimal("175.875"),
        2,
    )


def test_a_run_for_nobody_knows_what_costs_and_the_one_that_resumes_it_saves(marts: Marts) -> None:
    """−400, its 4 epochs at 175.875 withheld; 1 × 175.875 − 160 of the run that resumes it."""
    row = marts.standing("guessed")
    assert (row["cumulative_gross_saving"], row["left_out"]) == (
        Decimal("-384.125"),
        {"unknown_purpose": Decimal("703.5")},
    )
    runs = marts.rows("SELECT credited_epochs FROM runs WHERE run IN ('gx', 'gp') ORDER BY run")
    assert [row["credited_epochs"] for row in runs] == [1, 0]


def test_a_loss_does_not_vanish_with_the_word_for_it(marts: Marts) -> None:
    """4 × 175.875 − 400, − 1,600 of `Prod`, − 7 of a box between them: it has moved by then."""
    row = marts.standing("astray")
    gross = Decimal("303.5") - 1600
    assert standing(marts, "astray") == ("losing", gross, Decimal(0), gross - 7)
    assert row["left_out"] == {"unknown_purpose": Decimal("351.75")}
    assert row["reason"] == (
        "Trainium with its overhead cost more than the GPU counterfactual in its last 84 days; "
        "purpose prod of run ax is not production, baseline, validation, port or benchmark: "
        "its cost counts and its epochs are not credited until it is; "
        "forecast: not enough data yet (2 of 5 GPU runs)"
    )


def test_the_month_and_the_portfolio_say_the_same_of_it(marts: Marts) -> None:
    """August of `astray`: $1,600 and $7 for 2 epochs; of all: 703.5 + 351.75 withheld."""
    august = marts.row(
        "SELECT trn_cost, trn_epochs, counterfactual, net_saving, left_out FROM monthly_summary "
        "WHERE workload = 'astray' AND month = '2025-08'"
    )
    assert tuple(august.values()) == (1600, 2, 0, -1607, {"unknown_purpose": Decimal("351.75")})
    every = marts.standing("(portfolio)")
    workloads = [marts.standing(name) for name in ("ported", "checked", "guessed", "astray")]
    assert every["cumulative_net"] == sum(row["cumulative_net"] for row in workloads)
    assert every["left_out"] == {"unknown_purpose": Decimal("1055.25")}
    assert "; purpose prod of run astray/ax (and 1 more) is not" in every["reason"]


def test_months_and_weeks_hold_the_same_runs_as_the_saving(marts: Marts) -> None:
    september = marts.row(
        "SELECT trn_cost, trn_epochs, gpu_cost FROM monthly_summary "
        "WHERE workload = 'checked' AND month = '2025-09'"
    )
    assert tuple(september.values())[:2] == (Decimal(400), Decimal(4))
    trn = marts.row(
        "SELECT cost, epochs FROM cost_per_epoch WHERE workload = 'checked' "
        "AND hardware = 'trainium' AND period = 'month'"
    )
    assert tuple(trn.values()) == (Decimal(400), Decimal(4))


def test_storage_dated_before_the_first_run_is_no_cutover(marts: Marts) -> None:
    """The month's storage falls on its run of the 20th: the box of the 10th is no overhead."""
    days = "SELECT min(date) AS first, sum(overhead) AS overhead FROM savings_daily "
    row = marts.row(days + "WHERE workload = 'ported' AND (trn_cost > 0 OR overhead > 0)")
    assert tuple(row.values()) == (date(2025, 9, 1), Decimal(0))
