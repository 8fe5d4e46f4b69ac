"""The rows each mart must hold, by key; amounts as exact fractions, None where unknown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from fractions import Fraction
from typing import Any, NamedTuple

from tests.support.simulator.company import ACCELERATORS, SETTLED
from tests.support.simulator.saving import NIL, Reckoning, until
from tests.support.simulator.spend import Spent
from tests.support.simulator.standing import PORTFOLIO, Book, Totals, added, recent_days
from tests.support.simulator.volume import judged_share, months_at_old_volume
from tests.support.simulator.work import Lineage, unit


class Exceptional(NamedTuple):
    """Gross saving of a lineage's day that is left out (`kind` 0) or flagged (1), and why."""

    day: date
    workload: str
    kind: int
    reason: str
    amount: Fraction | None


Rows = dict[tuple[Any, ...], dict[str, Any]]
BUCKETS = (
    "direct", "shared", "overhead", "idle_commitment", "untagged", "purchase", "credit", "refund",
    "tax", "support", "other",
)  # fmt: skip


def tie_out(truth: Reckoning) -> Rows:
    """month × account × basis → dollars per bucket, on a bill that ties out with itself."""
    found: Rows = {}
    for row in truth.spend:
        for basis, amount in (("billed", row.billed), ("effective", row.effective)):
            key = row.month, row.account, basis
            names = (*BUCKETS, "bill_total", "bridge", "block_spread")
            sums = found.setdefault(key, dict.fromkeys(names, NIL))
            sums[row.bucket] += amount
            sums["bill_total"] += amount
            if basis == "effective":
                sums["bridge"] += row.effective - row.billed
                spread = _spread(row)
                sums["block_spread"] += spread
                sums["bill_total"] -= spread
    return found


def _spread(row: Spent) -> Fraction:
    """What a block's fee puts on its hours, and takes from where the bill has it."""
    if row.option == "capacity_block":
        return row.effective
    return -row.billed if row.bucket == "purchase" and row.machine else NIL


def spend(truth: Reckoning) -> Rows:
    """day × workload × run × bucket × component → dollars on three bases, and hours."""
    found: defaultdict[tuple[Any, ...], dict[str, Any]] = defaultdict(
        lambda: dict.fromkeys(("effective_cost", "billed_cost", "list_cost", "hours"), NIL)
    )
    for row in truth.spend:
        sums = found[row.day, row.workload, row.run, row.bucket, row.component]
        for name, amount in (
            ("effective_cost", row.effective),
            ("billed_cost", row.billed),
            ("list_cost", row.listed),
            ("hours", row.hours * ACCELERATORS.get(row.machine or "", 0)),
        ):
            sums[name] += amount
    return dict(found)


def runs(truth: Reckoning) -> Rows:
    """workload × run → what it cost and did."""
    return {
        (lineage.workload, run.name): _run(truth, lineage, run.name)
        for lineage in truth.lineages.values()
        for run in lineage.runs
    }


def _run(truth: Reckoning, lineage: Lineage, run: str) -> dict[str, Any]:
    spend = [s for s in lineage.spend if s.run == run]
    steps = [s for s in lineage.steps if s.run == run and s.day <= SETTLED]
    busy = {s.day for s in steps if s.epochs or s.repeated}
    cost = sum((s.effective for s in spend if s.day <= SETTLED), NIL)
    idle = sum((s.effective for s in spend if s.day <= SETTLED and s.day not in busy), NIL)
    done = sum((s.epochs for s in steps), NIL)
    again = sum((s.repeated for s in steps), NIL)
    judged = lineage.trainium and lineage.counted
    return {
        "hardware": "trainium" if lineage.trainium else "gpu",
        "lineage": lineage.name,
        "cost": cost,
        "unsettled": sum((s.effective for s in spend if s.day > SETTLED), NIL),
        "epochs": done,
        "repeated_epochs": again,
        "cost_per_epoch": cost / done if done else None,
        "idle_cost": idle,
        "repeated_cost": (cost - idle) * again / (done + again) if done + again else NIL,
        "credited_epochs": _credited(truth, lineage, run) if judged else NIL,
        "parity": truth.parity(lineage) if judged else None,
        "final_loss": lineage.final_loss,
    }


def _credited(truth: Reckoning, lineage: Lineage, run: str) -> Fraction:
    """A lineage's credit of a day, shared by the runs that earned it."""
    total = NIL
    for day in {s.day for s in lineage.steps if s.day <= SETTLED}:
        whole = lineage.days[day].epochs
        mine = sum((s.epochs for s in lineage.steps if s.day == day and s.run == run), NIL)
        total += truth.credited(lineage, day) * mine / whole if whole else NIL
    return total


def cost_per_epoch(truth: Reckoning) -> Rows:
    """period × start × workload × recipe × hardware → Σ cost, Σ work of settled days."""
    found: Rows = {}
    for lineage in truth.lineages.values():
        settled = {day: d for day, d in lineage.days.items() if day <= SETTLED and lineage.counted}
        for day, amounts in settled.items():
            monday, first = day - timedelta(days=day.weekday()), day.replace(day=1)
            for period, start in (("week", monday), ("month", first)):
                side = "trainium" if lineage.trainium else "gpu"
                key = period, start, lineage.workload, lineage.recipe, side
                sums = found.setdefault(key, {"cost": NIL, "epochs": NIL})
                sums["cost"] += amounts.cost
                sums["epochs"] += amounts.epochs
    return found


def baselines(truth: Reckoning) -> Rows:
    """day × workload → the counterfactual, on the first and the last days of months."""
    found: Rows = {}
    for workload, flows in truth.flows.items():
        for day in flows:
            if day.day not in (1, 2, 16) and (day + timedelta(days=1)).day != 1:
                continue
            base = truth.baseline(workload, day)
            found[day, workload] = {
                "recipe": truth.recipe(workload),
                "unit": unit(truth.company, workload),
                "platform": base and base.platform,
                "measured": base and base.measured,
                "repriced": base and base.repriced,
                "value": base and base.value,
                "value_at_list": base and base.value_at_list,
                "flags": sorted(base.flags) if base else [],
            }
    return found


def savings(book: Book) -> Rows:
    """day × workload → the flows of settled days, with their running totals."""
    found: Rows = {}
    for workload, flows in book.days.items():
        net: Fraction | None = NIL
        spent = NIL
        for day, flow in sorted(flows.items()):
            net = added((net, flow.net_saving))
            spent += flow.investment
            mixed = dict.fromkeys(("epochs", "credited_epochs") if workload == PORTFOLIO else ())
            stands = None if net is None else net - spent
            found[day, workload] = (
                flow._asdict()
                | mixed
                | {
                    "cumulative_net_saving": net,
                    "cumulative_investment": spent,
                    "cumulative_net": stands,
                    "roi": stands / spent if stands is not None and spent > 0 else None,
                }
            )
    return found


def break_even(book: Book) -> Rows:
    """workload → where it stands."""
    odd = exceptions(book.truth)
    return {(name,): _standing(book, name, odd) for name in book.days if book.days[name]}


def _standing(book: Book, workload: str, odd: list[Exceptional]) -> dict[str, Any]:
    found = book.totals(workload, SETTLED)
    progress = roi = None
    if (found.claims or found.status == "investing") and found.net is not None:
        progress = max(NIL, min(Fraction(1), found.net / found.investment))
        roi = (found.net - found.investment) / found.investment
    return {
        "status": found.status,
        "cumulative_gross_saving": found.gross,
        "cumulative_net_saving": found.net,
        "cumulative_investment": found.investment,
        "cumulative_net": found.cumulative_net,
        "break_even_date": found.even,
        "runs_to_break_even": found.runs,
        "payback_months": found.months,
        "forward_per_month": found.forward,
        "value_to_end": _value_to_end(book, workload, found),
        "progress": progress,
        "roi": roi,
        **_volume(book, workload, found),
        **dict(zip(("left_out", "flagged"), _reasons(odd, workload), strict=True)),
    }


def _volume(book: Book, workload: str, found: Totals) -> dict[str, Any]:
    """What was saved at the old volume, what is left of it, and how much of the spend is judged."""
    truth = book.truth
    owners = truth.workloads if workload == PORTFOLIO else [workload]
    known = found.net is not None and found.status not in ("investing", "not_started")
    saved = None
    if known:
        saved = added(
            amount
            for owner in owners
            if not truth.barred(owner)
            for amount in months_at_old_volume(truth, owner).values()
        )
    days = book.days[workload]
    spent = sum((flow.overhead for flow in days.values()), NIL) + found.investment
    every = set(until(min(days), SETTLED))
    return {
        "saving_at_old_volume": saved,
        "net_at_old_volume": None if saved is None else saved - spent,
        "covered_share": judged_share(truth, owners, every),
        "covered_share_recent": judged_share(truth, owners, recent_days(SETTLED)),
    }


def _value_to_end(book: Book, workload: str, found: Totals) -> Fraction | None:
    """Cumulative net when training ends, at the pace of today."""
    config = book.truth.company.config["workloads"]
    ends = next((e.get("ends") for e in config if e["name"] == workload), None)
    if ends is None or found.cumulative_net is None or found.forward is None:
        return None
    days = max((ends - SETTLED).days, 0)
    return found.cumulative_net + found.forward * days / 365 * 12


def monthly_summary(book: Book) -> Rows:
    """month × workload → sums of its settled days, and where it stood at its end."""
    found: Rows = {}
    odd = exceptions(book.truth)
    for workload in book.days:
        for end in book.month_ends(workload):
            month = f"{end:%Y-%m}"
            first = end.replace(day=1)
            flows = [f for day, f in book.days[workload].items() if first <= day <= end]
            names = ("counterfactual", "gross_saving", "overhead", "net_saving", "saving_at_list")
            sums = {name: added(getattr(f, name) for f in flows) for name in names}
            standing = book.totals(workload, end)
            left_out, flagged = _reasons(odd, workload, month)
            found[month, workload] = {
                **sums,
                **_month(book.truth, workload, month, end, standing),
                "investment": sum((f.investment for f in flows), NIL),
                "saving_at_old_volume": None
                if sums["gross_saving"] is None
                else _month_at_old_volume(book, workload, month),
                "left_out": left_out,
                "flagged": flagged,
            }
    return found


def _month_at_old_volume(book: Book, workload: str, month: str) -> Fraction | None:
    """A month's gross saving on the work that would have been trained anyway."""
    owners = book.truth.workloads if workload == PORTFOLIO else [workload]
    moved = [w for w in owners if not book.truth.barred(w)]
    return added(months_at_old_volume(book.truth, w).get(month, NIL) for w in moved)


def _month(
    truth: Reckoning, workload: str, month: str, end: date, standing: Totals
) -> dict[str, Any]:
    owned = [m for m in truth.lineages.values() if workload in (PORTFOLIO, m.workload)]
    rows: dict[str, Any] = {
        f"{side}_{what}": sum((_of(m, what, month) for m in owned if m.trainium is trn), NIL)
        for side, trn in (("gpu", False), ("trn", True))
        for what in ("cost", "epochs")
    }
    if workload == PORTFOLIO:  # its workloads count several units
        rows |= dict.fromkeys(("gpu_epochs", "trn_epochs"))
    elif any(m.recipe != truth.recipe(workload) for m in owned):
        rows["gpu_epochs"] = NIL  # of another recipe than the Trainium work
    base = None if workload == PORTFOLIO else truth.baseline(workload, end)
    return rows | {
        "gpu_cost_per_epoch": rows["gpu_cost"] / rows["gpu_epochs"] if rows["gpu_epochs"] else None,
        "trn_cost_per_epoch": rows["trn_cost"] / rows["trn_epochs"] if rows["trn_epochs"] else None,
        "baseline_value": base and base.value,
        "status": standing.status,
        "cumulative_net": standing.cumulative_net,
        "roi": standing.cumulative_net / standing.investment
        if standing.cumulative_net is not None and standing.investment > 0
        else None,
        "settled_through": end,
        "credits": sum(
            (
                s.billed
                for s in truth.spend
                if (s.bucket, s.month) == ("credit", month) and workload in (PORTFOLIO, s.workload)
            ),
            NIL,
        ),
    }


def _of(lineage: Lineage, what: str, month: str) -> Fraction:
    days = [(day, amounts) for day, amounts in lineage.days.items() if day <= SETTLED]
    mine = [getattr(amounts, what) for day, amounts in days if f"{day:%Y-%m}" == month]
    return sum(mine, NIL) if lineage.counted else NIL


def _reasons(
    found: Iterable[Exceptional], workload: str, month: str | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Dollars of gross saving not counted, and counted with a flag, by reason."""
    sums: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    for each in found:
        if workload in (PORTFOLIO, each.workload) and month in (None, f"{each.day:%Y-%m}"):
            held = sums[each.kind].get(each.reason, NIL)
            unknown = held is None or each.amount is None
            sums[each.kind][each.reason] = None if unknown else held + each.amount
    return sums


def exceptions(truth: Reckoning) -> list[Exceptional]:
    """Every one of them, of every Trainium lineage."""
    return [
        Exceptional(day, workload, *told)
        for workload in truth.workloads
        for lineage in truth.of(workload, trainium=True)
        for day in lineage.days
        for told in _exceptions(truth, lineage, day)
    ]


def _exceptions(
    truth: Reckoning, lineage: Lineage, day: date
) -> Iterator[tuple[int, str, Fraction | None]]:
    owner, compares = lineage.workload, truth.compares(lineage)
    base = truth.baseline(owner, day)
    cost, epochs = lineage.days[day].cost, truth.credited(lineage, day)
    saved = cost if base is None or not compares else base.value * epochs - cost
    if day > SETTLED:
        yield from [(0, "unsettled", saved)] if compares else ()
    elif not compares:
        yield 0, "not_comparable", saved
    elif truth.must_verify(owner):
        yield 0, "require_verified", saved
    elif base is None:
        yield 0, "insufficient_baseline", saved
    elif not truth.barred(owner):
        flags = set(base.flags if base else ()) & {"price_unavailable", "stale_price"}
        flags |= {"stale_baseline"} if base and "stale" in base.flags else set()
        flags |= {"unverified"} if truth.unverified(owner) else set()
        flags |= {"short"} if truth.short(lineage) else set()
        flags |= {"pending"} if truth.parity(lineage) == "pending" else set()
        yield from ((1, flag, saved) for flag in flags)
