"""The causes of an adjustment: what changed since finance last had the month, each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import version
from typing import Any

from models.closing.adjustment_causes import Inputs
from models.closing.adjustment_rows import adjustments
from models.records.adjustment_amounts import KEYS, OF_ACCOUNTS
from models.records.closes import Close, Delivered
from tests.support.documents.papers import paper

D = Decimal
OURS = version("breakeven")
ACCOUNT = {"billing_account": "9", "account": "2", "basis": "billed"}
MOVED = {"workload": None, "kind": "account", **ACCOUNT}
CONFIG = {"cost": {"source": "focus"}}
REOPENED = "the month was reopened and contains what was adjusted before"
LATE = "slurm told later who held machines of hpc on 2026-07-06"


def july(direct: int, idle: int) -> list[dict[str, Any]]:
    """The tie-out of July: two buckets of one account, on one basis."""
    nothing = dict.fromkeys(OF_ACCOUNTS, D(0))
    return [{"month": "2026-07", **ACCOUNT, **nothing, "direct": D(direct),
             "cluster_idle": D(idle)}]  # fmt: skip


def told(number: str) -> Delivered:
    """What the scheduler told of 6 July, each time anew."""
    return {"source": "slurm", "unit": "hpc", "period": "2026-07-06", "id": number,
            "totals": {}, "format": "observed_allocations"}  # fmt: skip


def bill(number: str, amount: int) -> Delivered:
    sums = {"BilledCost": f"{amount}", "EffectiveCost": f"{amount}"}
    return {"source": "focus", "id": number, "totals": {"9|2|2026-07": sums}}


def check(number: str, amount: int) -> Delivered:
    """What Cost Explorer says of the same bill."""
    return {**bill(number, amount), "source": "ce", "format": "cost_explorer"}


def close(
    month: str,
    when: str,
    delivered: Sequence[Delivered],
    *,
    number: int = 1,
    config: Mapping[str, Any] = CONFIG,
    of: Sequence[tuple[str, int]] = (),
    tie_out: Sequence[dict[str, Any]] = (),
    moved: Sequence[dict[str, Any]] = (),
) -> Close:
    """A month as closed at `when` from deliveries and closes, with what it adjusted."""
    tables = {"summary": [], "tie_out": list(tie_out), "adjustments": list(moved)}
    facts = {"version": OURS, "edition": "2"}
    statement = replace(paper().statement, month=month, facts=facts, tables=tables)
    return Close(statement, number, "C", when, "", tuple(delivered), config, tuple(of))


def row(measure: str, amount: int) -> dict[str, Any]:
    named = {name: MOVED.get(name) for name in KEYS} | {"measure": measure}
    return {"month": "2026-07", **named, "amount": D(amount)}


def causes(
    now: list[dict[str, Any]],
    closes: Sequence[Close],
    *delivered: Delivered,
    config: Mapping[str, Any] = CONFIG,
) -> dict[str, tuple[Decimal, str]]:
    """Maps each measure of July to what September adjusts of it, and why."""
    figures = {"summary": [], "tie_out": now}
    inputs = Inputs(delivered, config, OURS)
    rows = adjustments("2026-09", figures, closes, inputs, lambda _: None)
    return {row["measure"]: (row["amount"], row["cause"]) for row in rows}


JULY = close("2026-07", "2026-08-12T09:00:00+00:00", [bill("b", 500), told("1")],
             tie_out=july(220, 280))  # fmt: skip
AUGUST = close("2026-08", "2026-09-12T09:00:00+00:00", [bill("b", 500), told("2")],
               of=[("2026-07", 1)],
               moved=[row("direct", 215), row("cluster_idle", -215)])  # fmt: skip
AGAIN = close("2026-07", "2026-09-14T09:00:00+00:00", [bill("b", 500), told("3")], number=2,
              of=[("2026-08", 1)], tie_out=july(220, 280))  # fmt: skip


def test_a_late_job_that_is_withdrawn_again_is_told_of_later_not_a_month_that_was_reopened() -> (
    None
):
    """What it comes to again is what was closed, and nobody closed it again."""
    assert causes(july(220, 280), [JULY, AUGUST], bill("b", 500), told("3")) == {
        "direct": (D(-215), LATE),
        "cluster_idle": (D(215), LATE),
    }


def test_each_cause_is_named_where_a_job_is_withdrawn_and_a_bill_restated() -> None:
    found = causes(july(242, 361), [JULY, AUGUST], bill("c", 603), told("3"))
    why = f"AWS restated 2026-07 of 2: billed +103.00, effective +103.00; {LATE}"
    assert (found["direct"], found["cluster_idle"]) == ((D(-193), why), (D(296), why))


def test_a_month_that_was_reopened_contains_what_was_adjusted_of_its_first_version() -> None:
    assert causes(july(220, 280), [AGAIN, AUGUST], bill("b", 500), told("3")) == {
        "direct": (D(-215), REOPENED),
        "cluster_idle": (D(215), REOPENED),
    }


def test_what_changed_after_a_month_was_reopened_is_named_beside_it() -> None:
    found = causes(july(250, 250), [AGAIN, AUGUST], bill("b", 500), told("4"))
    both = f"{REOPENED}; {LATE}"
    assert found == {"direct": (D(-185), both), "cluster_idle": (D(185), both)}


def test_a_reopened_month_is_no_cause_once_a_close_took_back_what_it_contains() -> None:
    """September took it back; later a job comes to the same amount, the other way."""
    september = close("2026-09", "2026-10-12T09:00:00+00:00", [bill("b", 500), told("3")],
                      of=[("2026-07", 2), ("2026-08", 1)],
                      moved=[row("direct", -215), row("cluster_idle", 215)])  # fmt: skip
    known = [AGAIN, AUGUST, september]
    assert causes(july(220, 280), known, bill("b", 500), told("3")) == {}
    assert causes(july(435, 65), known, bill("b", 500), told("4")) == {
        "direct": (D(215), LATE),
        "cluster_idle": (D(-215), LATE),
    }


def test_what_cost_explorer_says_of_the_same_bill_is_not_added_to_it() -> None:
    """AWS took $103 more; the source that only checks the bill says so, too."""
    checked = close("2026-07", "2026-08-12T09:00:00+00:00", [bill("b", 500), check("x", 500)],
                    tie_out=july(220, 280))  # fmt: skip
    (moved,) = july(323, 280)
    now = [moved | {"bill_total": D(103)}]
    why = "AWS restated 2026-07 of 2: billed +103.00, effective +103.00"
    assert causes(now, [checked], bill("c", 603), check("y", 603)) == {
        "direct": (D(103), why),
        "bill_total": (D(103), f"{why}; ce was delivered again"),
    }
    assert causes(july(323, 280), [checked], bill("c", 603), check("x", 500)) == {
        "direct": (D(103), why)
    }


def test_a_bill_that_is_read_from_another_source_was_not_restated() -> None:
    """An export takes Cost Explorer's place, whose deliveries stay."""
    before = {"cost": {"source": "cost_explorer"}}
    told = close("2026-07", "2026-08-12T09:00:00+00:00", [check("x", 500)], config=before,
                 tie_out=july(220, 280))  # fmt: skip
    switched = "the configuration changed (cost)"
    assert causes(july(320, 180), [told], check("x", 500), bill("b", 500)) == {
        "direct": (D(100), switched),
        "cluster_idle": (D(-100), switched),
    }
    found = causes(july(222, 280), [told], check("x", 500), bill("b", 502))
    read = "the bill of 2026-07 of 2 is read from focus now: billed +2.00, effective +2.00"
    assert found == {"direct": (D(2), f"{read}; {switched}")}


def test_an_invoice_that_comes_after_the_close_is_the_cause_of_the_total_it_changes() -> None:
    told = close("2026-07", "2026-08-12T09:00:00+00:00", [bill("b", 500)],
                 tie_out=july(220, 280))  # fmt: skip
    invoice = {"account": "2", "month": "2026-07", "amount": "501"}
    (row_of_july,) = july(221, 280)
    now = [row_of_july | {"bill_total": D(1), "remainder": D(1)}]
    entered = {"invoices": [invoice, invoice | {"month": "2026-08"}]}
    found = causes(now, [told], bill("b", 500), config=CONFIG | entered)
    said = "[[invoices]] of 2026-07 changed"
    assert found["bill_total"] == found["remainder"] == (D(1), said)
    assert said not in found["direct"][1]
